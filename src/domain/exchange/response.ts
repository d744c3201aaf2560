import type { Part } from './part.ts';
import type { Usage } from './usage.ts';

/** Why the model stopped, as a canonical reason and in the provider's words. */
export interface Finish {
  readonly unified: FinishReason;
  /** The provider's own reason; `null` if it gave none. */
  readonly raw: string | null;
  /** The stop sequence that ended the answer, if the provider reports it. */
  readonly stopSequence?: string | null;
}

/** Returns whether an answer ended before the model was done, so that its last call may lack a part of its arguments. */
export function isCutOff({ unified }: Pick<Finish, 'unified'>): boolean {
  return unified === 'length' || unified === 'content-filter';
}

export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  /** The provider paused a long turn of its own tools; the client sends the answer back to continue (Anthropic `pause_turn`). */
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
  /** Never contain a tool result. */
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly logprobs?: readonly TokenLogprob[];
}

/** A whole answer in a provider-neutral form. */
export interface ExchangeResponse {
  /** The provider's id of the answer. */
  readonly id: string | null;
  /** Unix seconds, if the provider states it. */
  readonly created: number | null;
  readonly candidates: readonly Candidate[];
  readonly usage: Usage | null;
  readonly serviceTier?: string | null;
  /** The model that answered, in the provider's words, if stated. */
  readonly model?: string;
}

/** Returns the answer without the gateway's own sentences; the same object if there are none. */
export function withoutGatewayWords(response: ExchangeResponse): ExchangeResponse {
  const isOwn = (part: Part) => part.type === 'refusal' && part.byGateway === true;
  if (!response.candidates.some(({ parts }) => parts.some(isOwn))) return response;
  const candidates = response.candidates.map((candidate) => ({
    ...candidate,
    parts: candidate.parts.filter((part) => !isOwn(part)),
  }));
  return { ...response, candidates };
}
