import type { Loss } from '../../domain/exchange/loss.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { ParsedRequest, StreamRelay } from '../../formats/format.ts';
import type { FoundNames } from '../../formats/shared/governed-names.ts';

/** An upstream request as a lane makes it, before the provider's own changes and signature. */
export interface LaneRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  /** What `body` is the text of, as far as its governed members go. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Of the names in `body`, which of them may not be what they are taken for. */
  readonly names: FoundNames;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly losses: readonly Loss[];
}

export interface LaneAnswer {
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly usage: Usage | null;
  readonly served: ServedAs;
  /** The same with all that the model wrote, where `body` does not show it and no usage was reported. */
  readonly shown?: LaneAnswer['body'];
  /** The answer in no provider's words, where the lane has read it. */
  readonly response?: ExchangeResponse;
}

/** One of the two ways of an exchange (design, section 3): chosen per attempt, after routing. */
export interface Lane {
  request(): LaneRequest | Failure | Promise<LaneRequest | Failure>;
  answer(bytes: Uint8Array): LaneAnswer | Failure;
  stream(): StreamRelay;
  /** A whole answer to a request for a stream, as the stream that it could have been. */
  streamOfWhole(bytes: Uint8Array): StreamOfWhole | Failure;
}

export interface StreamOfWhole {
  readonly relay: StreamRelay;
  /** What of it can go to the client: all of it. */
  readonly bytes: Uint8Array;
  /** The answer that it was made of. */
  readonly response: ExchangeResponse;
}

/** Of bytes that were written anew, names of an earlier turn among them, nothing is known but what stands twice. */
export function namesIn({ scan, bytes }: ParsedRequest): FoundNames {
  if (scan === undefined) return { hasOddNames: true, duplicates: [] };
  return scan.bytes === bytes ? scan : { hasOddNames: true, duplicates: scan.duplicates };
}
