import type { Failure } from '../failure/failure.ts';
import type { OpaqueState } from './opaque-state.ts';
import type { Citation, MediaPart, UnknownPart } from './part.ts';
import type { Finish, TokenLogprob } from './response.ts';
import type { Usage } from './usage.ts';

/**
 * The vocabulary of a streamed answer. What a decoder guarantees, so that every encoder may rely on it:
 *
 * - `start` comes first and once; `end` comes last and once, unless an `error` ended the stream before;
 * - within one candidate blocks never overlap: a block (`…-start` to `…-end`, or a part that stands alone) is closed before
 *   the next one starts, even where an upstream interleaves them;
 * - the arguments of a function call are never empty: a call without any has `{}`;
 * - every candidate that had any part has exactly one `finish`, after its last block;
 * - `usage` may come several times; each replaces the one before (counts are cumulative, never to be summed);
 * - after an `error` nothing comes.
 */
export type StreamPart =
  | {
      readonly type: 'start';
      readonly id: string | null;
      readonly created: number | null;
      /** See `ExchangeResponse`. */
      readonly model?: string;
    }
  | { readonly type: 'text-start'; readonly candidate: number }
  | {
      readonly type: 'text-delta';
      readonly candidate: number;
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  /** A source for the text of the open block. */
  | { readonly type: 'citation'; readonly candidate: number; readonly citation: Citation }
  | { readonly type: 'text-end'; readonly candidate: number; readonly state?: OpaqueState }
  | {
      readonly type: 'reasoning-start';
      readonly candidate: number;
      readonly summary?: boolean;
      readonly redacted?: boolean;
    }
  | { readonly type: 'reasoning-delta'; readonly candidate: number; readonly text: string }
  | { readonly type: 'reasoning-end'; readonly candidate: number; readonly state?: OpaqueState }
  | {
      readonly type: 'tool-call-start';
      readonly candidate: number;
      readonly id: string;
      readonly name: string;
      /** See `ToolCallPart`. */
      readonly namespace?: string;
      readonly custom?: boolean;
      /** Set if it is known from the start (Gemini); `tool-call-end` then repeats it. */
      readonly state?: OpaqueState;
    }
  /** The next piece of the arguments' JSON text. */
  | { readonly type: 'tool-call-delta'; readonly candidate: number; readonly arguments: string }
  | { readonly type: 'tool-call-end'; readonly candidate: number; readonly state?: OpaqueState }
  | { readonly type: 'refusal-start'; readonly candidate: number }
  | {
      readonly type: 'refusal-delta';
      readonly candidate: number;
      readonly text: string;
      /** See `RefusalPart`. */
      readonly byGateway?: boolean;
    }
  | { readonly type: 'refusal-end'; readonly candidate: number }
  /** A whole image or other medium that the model made. */
  | { readonly type: 'media'; readonly candidate: number; readonly part: MediaPart }
  /** A whole block that only its own format understands. */
  | { readonly type: 'unknown'; readonly candidate: number; readonly part: UnknownPart }
  | { readonly type: 'finish'; readonly candidate: number; readonly finish: Finish }
  | { readonly type: 'usage'; readonly usage: Usage; readonly serviceTier?: string | null }
  | { readonly type: 'error'; readonly failure: Failure }
  | { readonly type: 'end' };

/** Sees the parts of an answer as they pass. */
export interface PartObserver {
  see(part: StreamPart): void;
}
