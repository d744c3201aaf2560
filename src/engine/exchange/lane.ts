import type { Loss } from '../../domain/exchange/loss.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { StreamRelay } from '../../formats/format.ts';

/** An upstream request as a lane makes it, before the provider's own changes and signature. */
export interface LaneRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly losses: readonly Loss[];
}

export interface LaneAnswer {
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly usage: Usage | null;
}

/** One of the two ways of an exchange (design, section 3): chosen per attempt, after routing. */
export interface Lane {
  request(): LaneRequest | Failure | Promise<LaneRequest | Failure>;
  answer(bytes: Uint8Array): LaneAnswer | Failure;
  stream(): StreamRelay;
  /** A whole answer to a request for a stream, as the stream that it could have been. */
  streamOfWhole(bytes: Uint8Array): { readonly relay: StreamRelay; readonly bytes: Uint8Array } | Failure;
}
