import { parseJson } from '../shared/json.ts';

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'pause' | 'other';

export interface ToolCall {
  readonly name: string;
  /** The parsed JSON, or the text as it is where it is not JSON (a custom tool's input, a broken call). */
  readonly arguments: unknown;
}

/** One answer to a request, which may ask for several. Parts of the same kind are joined with nothing between them. */
export interface Candidate {
  readonly text: string;
  /** The thinking that the provider shows: in full or as a summary. */
  readonly reasoning: string;
  readonly refusal: string;
  /** The calls that the client has to make; not those that the provider makes itself. */
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  /** The provider's own word for it, null where it gives none. */
  readonly rawFinish: string | null;
}

/**
 * Token counts that do not overlap: the prompt is the first three together, the completion the last two. Audio and images are in
 * `input` and `output`, whether or not a provider counts them apart.
 */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface ExpectedAnswer {
  readonly candidates: readonly Candidate[];
  readonly usage: Usage | null;
}

/** A candidate while its pieces come in. */
export class CandidateBuilder {
  text = '';
  reasoning = '';
  refusal = '';
  rawFinish: string | null = null;
  private readonly calls = new Map<unknown, { name: string; text: string }>();

  /** Adds to the tool call of that key, which begins with its first piece. */
  addToCall(key: unknown, piece: { readonly name?: unknown; readonly text?: unknown }): void {
    const call = this.calls.get(key) ?? { name: '', text: '' };
    this.calls.set(key, call);
    if (typeof piece.name === 'string') call.name += piece.name;
    if (typeof piece.text === 'string') call.text += piece.text;
  }

  /** Adds a tool call whose arguments came as JSON. */
  addWholeCall(name: unknown, input: unknown): void {
    this.calls.set(this.calls.size, { name: String(name ?? ''), text: JSON.stringify(input ?? {}) });
  }

  get callCount(): number {
    return this.calls.size;
  }

  /**
   * A provider that has no reason of its own for tool calls says `stop` to them (Gemini's `STOP`, Mistral and Ollama at times), which
   * reads as `tool-calls` here for all of them: so two formats can be compared.
   */
  build(finishes: Readonly<Record<string, Finish>>): Candidate {
    const known = finishes[this.rawFinish ?? ''] ?? 'other';
    return {
      text: this.text,
      reasoning: this.reasoning,
      refusal: this.refusal,
      toolCalls: [...this.calls.values()].map(({ name, text }) => ({ name, arguments: parseArguments(text) })),
      finish: known === 'stop' && this.calls.size > 0 ? 'tool-calls' : known,
      rawFinish: this.rawFinish,
    };
  }
}

function parseArguments(text: string): unknown {
  const parsed = parseJson(text);
  return parsed === undefined ? text : parsed;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The first of the values that is a number; 0 where none is. */
export function firstCount(...values: readonly unknown[]): number {
  return countOf(values.find((value) => typeof value === 'number'));
}

/** Usage of a provider whose numbers for the prompt and the completion hold all of their parts. */
export function inclusiveUsage(total: {
  readonly prompt: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly completion: number;
  readonly reasoning: number;
}): Usage {
  // A part larger than its whole is a provider's slip (mistral/chat/080 says 64 of 10 tokens came from the cache).
  const cachedInput = Math.min(total.cached, total.prompt);
  const cacheWrite = Math.min(total.cacheWrite, total.prompt - cachedInput);
  const reasoning = Math.min(total.reasoning, total.completion);
  return {
    input: total.prompt - cachedInput - cacheWrite,
    cachedInput,
    cacheWrite,
    output: total.completion - reasoning,
    reasoning,
  };
}
