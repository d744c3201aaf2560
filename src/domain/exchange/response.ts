import type { Part } from './part.ts';
import type { Usage } from './usage.ts';

/** Why the model stopped, in the gateway's words and in the provider's. */
export interface Finish {
  readonly unified: FinishReason;
  /** The provider's own word; `null` where it said none. */
  readonly raw: string | null;
  /** The stop sequence that ended the answer, where the provider tells. */
  readonly stopSequence?: string | null;
}

/** Whether an answer ended before the model was done: its last call may lack a part of its arguments. */
export function isCutOff({ unified }: Pick<Finish, 'unified'>): boolean {
  return unified === 'length' || unified === 'content-filter';
}

export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  /** The provider paused a long turn of its own tools; the client sends the answer back to go on (Anthropic `pause_turn`). */
  | 'pause'
  | 'other';

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly top: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes: readonly number[] | null;
  }[];
}

export interface Candidate {
  readonly index: number;
  /** Never a tool result. */
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly logprobs?: readonly TokenLogprob[];
}

/** A whole answer in no provider's words. */
export interface ExchangeResponse {
  /** The provider's id of the answer. */
  readonly id: string | null;
  /** Unix seconds, where the provider says it. */
  readonly created: number | null;
  readonly candidates: readonly Candidate[];
  readonly usage: Usage | null;
  readonly serviceTier?: string | null;
  /** The model that has answered, in the provider's words, where it says so. */
  readonly model?: string;
}

/** The answer without the gateway's own sentences: what the model has produced. The same object where there are none. */
export function withoutGatewayWords(response: ExchangeResponse): ExchangeResponse {
  const isOwn = (part: Part) => part.type === 'refusal' && part.byGateway === true;
  if (!response.candidates.some(({ parts }) => parts.some(isOwn))) return response;
  const candidates = response.candidates.map((candidate) => ({
    ...candidate,
    parts: candidate.parts.filter((part) => !isOwn(part)),
  }));
  return { ...response, candidates };
}
