import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { Message, Part, ReasoningPart, ToolCallPart } from '../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import type { PartObserver } from './translated-stream.ts';

/** What a tool call of an answer stood on: the reasoning right before it, and its own state. */
interface Remembered {
  readonly reasoning: readonly ReasoningPart[];
  readonly state: OpaqueState | undefined;
  readonly bytes: number;
}

const DEFAULT_CAPACITY_BYTES = 64 * 1024 * 1024;
/** An answer that thinks longer than this between two calls is not remembered. */
const MAX_ENTRY_CHARACTERS = 2 * 1024 * 1024;

/**
 * Many clients rebuild an assistant's turn from its text and its tool calls and lose every other field on the way, the
 * reasoning state among them. Since they cannot lose the ids of the tool calls, the state of a translated answer is also
 * remembered by these, per account, and put back where a client brings the call without it. Bounded in bytes; the oldest
 * goes first. What a client does bring always wins.
 */
export class StateMemory {
  private readonly entries = new Map<string, Remembered>();
  private bytes = 0;

  constructor(private readonly capacityBytes = DEFAULT_CAPACITY_BYTES) {}

  rememberAnswer(accountId: string, response: ExchangeResponse): void {
    for (const { parts } of response.candidates) {
      let reasoning: ReasoningPart[] = [];
      for (const part of parts) {
        if (part.type === 'reasoning') reasoning.push(part);
        else if (part.type === 'tool-call') {
          this.remember(accountId, part.id, reasoning, part.state);
          reasoning = [];
        }
      }
    }
  }

  /** Watches a stream and remembers what its tool calls stand on. */
  observer(accountId: string): PartObserver {
    return new AnswerObserver((callId, reasoning, state) => this.remember(accountId, callId, reasoning, state));
  }

  /** The request with remembered state in the assistant's turns that came without any. */
  restore(accountId: string, request: ExchangeRequest): ExchangeRequest {
    if (this.entries.size === 0 || !request.messages.some(lacksState)) return request;
    const messages = request.messages.map((message) => {
      if (!lacksState(message)) return message;
      const parts = message.parts.flatMap((part) =>
        part.type === 'tool-call' ? this.restored(accountId, part) : [part],
      );
      return { ...message, parts };
    });
    return { ...request, messages };
  }

  private restored(accountId: string, call: ToolCallPart): Part[] {
    const key = keyOf(accountId, call.id);
    const entry = this.entries.get(key);
    if (!entry) return [call];
    // Used again: the youngest now.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return [...entry.reasoning, entry.state === undefined ? call : { ...call, state: entry.state }];
  }

  private remember(
    accountId: string,
    callId: string,
    reasoning: readonly ReasoningPart[],
    state: OpaqueState | undefined,
  ): void {
    const kept = reasoning.filter((part) => part.state !== undefined);
    if (kept.length === 0 && state === undefined) return;
    let characters = state?.data.length ?? 0;
    for (const part of kept) characters += part.text.length + (part.state?.data.length ?? 0);
    if (characters > MAX_ENTRY_CHARACTERS) return;
    const key = keyOf(accountId, callId);
    this.forget(key);
    const entry = { reasoning: kept, state, bytes: 2 * (characters + key.length) + 200 };
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.capacityBytes) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}

function keyOf(accountId: string, callId: string): string {
  return `${accountId}\n${callId}`;
}

/** An assistant's turn with tool calls of which no part carries state. */
function lacksState({ role, parts }: Message): boolean {
  return (
    role === 'assistant' &&
    parts.some(({ type }) => type === 'tool-call') &&
    !parts.some((part) => 'state' in part && part.state !== undefined)
  );
}

class AnswerObserver implements PartObserver {
  private reasoning: ReasoningPart[] = [];
  private text = '';
  private flags: { readonly summary?: boolean; readonly redacted?: boolean } = {};
  private callId = '';

  constructor(
    private readonly remember: (
      callId: string,
      reasoning: readonly ReasoningPart[],
      state: OpaqueState | undefined,
    ) => void,
  ) {}

  see(part: StreamPart): void {
    if (part.type === 'reasoning-start') {
      this.text = '';
      this.flags = {
        ...(part.summary === undefined ? {} : { summary: part.summary }),
        ...(part.redacted === undefined ? {} : { redacted: part.redacted }),
      };
    } else if (part.type === 'reasoning-delta') {
      this.text += part.text;
    } else if (part.type === 'reasoning-end') {
      const { state } = part;
      this.reasoning.push({
        type: 'reasoning',
        text: this.text,
        ...this.flags,
        ...(state === undefined ? {} : { state }),
      });
    } else if (part.type === 'tool-call-start') {
      this.callId = part.id;
    } else if (part.type === 'tool-call-end') {
      this.remember(this.callId, this.reasoning, part.state);
      this.reasoning = [];
    }
  }
}
