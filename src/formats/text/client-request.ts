import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { FoundFiles } from '../shared/media/media-fields.ts';
import type { BodyScan } from '../shared/request/body-scan.ts';
import type { AnswerPatch } from '../wire.ts';

/* Requests from clients after parsing, and the context in which they are answered. */

/** `warm-up` is a generation with an empty answer: it only prepares the state that the next turn continues from. */
export type CallPurpose = 'generate' | 'warm-up' | 'count-tokens' | 'compact';

/** The facts that a request's URL states. In most formats this is only the purpose. */
export interface InboundCall {
  readonly purpose: CallPurpose;
  /** The model, if the path names it (Gemini). */
  readonly model: string | null;
  /** Whether the path asks for a stream; `null` if the body decides. */
  readonly stream: boolean | null;
  /** How a stream is to be framed. */
  readonly framing: 'sse' | 'json-array';
}

export interface Endpoint {
  /** A route in the server router's syntax: a literal path, or a pattern such as `/v1beta/models/*`. */
  readonly path: string;
  /** Another API has resources below this path, so only a POST belongs to this endpoint. */
  readonly shared?: boolean;
  /** Returns the call that a URL of this route means, or the failure (404) for a URL that means none. */
  call(url: string): InboundCall | Failure;
}

/** A client's request after parsing and validation: the few facts that routing needs, and the client's original bytes. */
export interface ParsedRequest {
  readonly call: InboundCall;
  /** The public id of the model that is asked. `body` and `bytes` may name another one, in whose place this one is asked. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client itself asked to see usage in the stream. */
  readonly wantsStreamUsage: boolean;
  /** Whether chunks without a usage leave the member out, as OpenRouter's do, instead of having `"usage": null`. */
  readonly omitsNullUsage?: boolean;
  /**
   * The engine empties this when no remaining target can be relayed to, so that a long conversation is not held in memory
   * twice.
   */
  bytes: Uint8Array;
  /** The decoded body; read-only by agreement. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The results of the first scan of the client's bytes. */
  readonly scan?: BodyScan;
  /** The files in the body, once they have been looked for; see `MediaFields.filesIn`. */
  files?: FoundFiles;
}

/** The limit that a request sets for the model's output. */
export interface OutputBound {
  /** The largest limit for one choice among all of the request's fields for it; `null` if it sets none. */
  readonly each: number | null;
  readonly choices: number;
  /**
   * The tokens of one choice that a provider may count beyond that limit: a thinking budget, or rejected prediction tokens.
   */
  readonly beside: number;
}

/** The parts of a request's conversation that show which earlier request it continues. */
export interface Conversation {
  /** The content before the turns: instructions, a system prompt. */
  readonly lead: unknown;
  readonly turns: readonly unknown[];
  /** Whether a turn came from the model. */
  readonly isAnswer: (turn: unknown) => boolean;
  /** The client's own name for a prompt cache. */
  readonly cacheKey: string | null;
}

/** Values for members that clients require and the upstream has left out of an answer. */
export interface RelayPatch extends AnswerPatch {
  /** Unix seconds, for an answer that does not say when it was made. */
  readonly created: number;
  /** Returns a fresh id: the prefix (`msg_`) followed by random letters and digits. */
  newId(prefix: string): string;
}

/** The context that an encoder needs besides the answer itself. */
export interface AnswerContext extends RelayPatch {
  readonly parsed: ParsedRequest;
  /** The client's request in the canonical form. */
  readonly request: ExchangeRequest;
  /** The request's body is so large that the answer does not repeat its long members. */
  readonly isLarge?: boolean;
  /** Estimates the prompt's tokens, for a stream that has to report them before its upstream does. */
  estimatedPromptTokens(): number;
}
