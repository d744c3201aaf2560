import type { Losses } from '../../../domain/exchange/loss.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../../../domain/exchange/part.ts';

/*
 * Some APIs require the results of a turn's calls, all of them and no others, directly after that turn. Clients of other formats
 * may put a message in between, leave a result out, or cut off the beginning of the conversation together with its calls.
 */

const MOVED = 'the API requires results directly after their calls, so the content in between follows them';
const MISSING = 'the API requires a result for each call, so an empty one is added';
const ORPHAN = 'the API accepts no result without its call, so its content is sent as a user message';
const NO_RESULT = 'This call has no result.';

/**
 * Returns the conversation with each result after its call; the same array if nothing has to move. Calls at the very end may still be
 * without results.
 */
export function withPairedResults(messages: readonly Message[], losses: Losses): readonly Message[] {
  return arePaired(messages) ? messages : new Pairing(messages, losses).paired();
}

/** Does the same for an API that also refuses calls without results at the end of the conversation. */
export function withAnsweredCalls(messages: readonly Message[], losses: Losses): readonly Message[] {
  if (!endsWithCalls(messages)) return withPairedResults(messages, losses);
  return new Pairing([...messages, { role: 'tool', parts: [] }], losses).paired();
}

function endsWithCalls(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.parts.some(({ type }) => type === 'tool-call');
}

function arePaired(messages: readonly Message[]): boolean {
  let open: Set<string> | null = null;
  let isAnswering = false;
  for (const { role, parts } of messages) {
    if (role === 'assistant') {
      if (isAnswering && open !== null && open.size > 0) return false;
      if (isAnswering) open = null;
      isAnswering = false;
      for (const part of parts) if (part.type === 'tool-call') open = (open ?? new Set()).add(part.id);
      continue;
    }
    if (role === 'tool') {
      isAnswering = true;
      for (const part of parts) if (part.type === 'tool-result' && open?.delete(part.id) !== true) return false;
      continue;
    }
    if (open !== null && open.size > 0) return false;
    open = null;
  }
  // Calls at the very end may still wait for their results, but only for all of them.
  return !isAnswering || open === null || open.size === 0;
}

class Pairing {
  private readonly out: Message[] = [];
  private readonly used = new Set<ToolResultPart>();
  /** The results that are still to come, keyed by call id, in order. */
  private readonly results = new Map<string, ToolResultPart[]>();

  constructor(
    private readonly messages: readonly Message[],
    private readonly losses: Losses,
  ) {
    for (const { role, parts } of messages) {
      for (const part of role === 'tool' ? parts : []) {
        if (part.type !== 'tool-result') continue;
        const known = this.results.get(part.id);
        if (known === undefined) this.results.set(part.id, [part]);
        else known.push(part);
      }
    }
  }

  paired(): readonly Message[] {
    const { messages, out } = this;
    let calls: ToolCallPart[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role === 'tool') this.addRest(message);
      else out.push(message);
      if (message.role !== 'assistant') continue;
      for (const part of message.parts) if (part.type === 'tool-call') calls.push(part);
      const next = messages[index + 1];
      if (next?.role === 'assistant') continue;
      if (calls.length > 0 && next !== undefined) this.addResults(calls, next);
      calls = [];
    }
    return out;
  }

  private addResults(calls: readonly ToolCallPart[], next: Message): void {
    const parts = calls.map((call) => {
      const result = this.results.get(call.id)?.shift();
      if (result === undefined) return this.missing(call);
      this.used.add(result);
      if (!next.parts.includes(result) && next.role !== 'tool') this.note(result, MOVED);
      return result;
    });
    this.out.push({ role: 'tool', parts });
  }

  private missing({ id, name, path }: ToolCallPart): ToolResultPart {
    const placed = path === undefined ? {} : { path };
    const missing: ToolResultPart = {
      ...{ type: 'tool-result', id, name, ...(this.losses.isExact('tool-result-error') && { isError: true }) },
      content: [{ type: 'text', text: NO_RESULT }],
      ...placed,
    };
    this.note(missing, MISSING);
    return missing;
  }

  /** Adds what remains of a message with results: those without a call, and duplicates. */
  private addRest({ parts }: Message): void {
    for (const part of parts) {
      if (part.type !== 'tool-result' || this.used.has(part)) continue;
      this.results.get(part.id)?.splice(0, 1);
      this.note(part, ORPHAN);
      if (part.content.length > 0) this.out.push({ role: 'user', parts: part.content });
    }
  }

  private note({ path }: ToolResultPart, why: string): void {
    this.losses.note({ field: path ?? 'messages', verdict: 'approximated', why });
  }
}
