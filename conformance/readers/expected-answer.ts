import { parseJson } from '../shared/json.ts';

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'pause' | 'other';

export interface ToolCall {
  readonly name: string;
  /** The parsed JSON, or the text if it is not JSON (a custom tool's input, an invalid call). */
  readonly arguments: unknown;
}

/** One choice of a response; a request may ask for several. Parts of the same kind are concatenated. */
export interface Candidate {
  readonly text: string;
  /** The reasoning that the provider shows, in full or as a summary. */
  readonly reasoning: string;
  readonly refusal: string;
  /** The calls that the client has to make, without those that the provider executes itself. */
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  /** The provider's own finish reason; `null` if it gives none. */
  readonly rawFinish: string | null;
}

/**
 * Token counts that do not overlap: the prompt is the sum of the first three, the completion of the last two. Audio and
 * images are in `input` and `output`, whether or not a provider counts them separately.
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

/** Collects the pieces of a candidate. */
export class CandidateBuilder {
  text = '';
  reasoning = '';
  refusal = '';
  rawFinish: string | null = null;
  private readonly calls = new Map<unknown, { name: string; text: string }>();

  /** Appends to the tool call with this key, and creates it with its first piece. */
  addToCall(key: unknown, piece: { readonly name?: unknown; readonly text?: unknown }): void {
    const call = this.calls.get(key) ?? { name: '', text: '' };
    this.calls.set(key, call);
    if (typeof piece.name === 'string') call.name += piece.name;
    if (typeof piece.text === 'string') call.text += piece.text;
  }

  /** Adds a tool call whose arguments are parsed JSON. */
  addWholeCall(name: unknown, input: unknown): void {
    this.calls.set(this.calls.size, { name: String(name ?? ''), text: JSON.stringify(input ?? {}) });
  }

  get callCount(): number {
    return this.calls.size;
  }

  /**
   * A provider without a finish reason for tool calls sends `stop` (Gemini's `STOP`, sometimes Mistral and Ollama). It
   * becomes `tool-calls` here for all of them, so that formats can be compared.
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

/** Returns the first of the values that is a number; 0 if there is none. */
export function firstCount(...values: readonly unknown[]): number {
  return countOf(values.find((value) => typeof value === 'number'));
}

/** Returns the usage of a provider whose prompt and completion counts include all of their parts. */
export function inclusiveUsage(total: {
  readonly prompt: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly completion: number;
  readonly reasoning: number;
}): Usage {
  // A part larger than its whole is a provider's mistake (mistral/chat/080 reports 64 of 10 tokens from the cache).
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
