import type { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/format.ts';
import type { RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import type { Caller } from '../access/caller.ts';
import type { ComingBody, WaitingClient } from '../ports/upstream.ts';

export type RelayedMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A client's body on its way through. Why it ended before its end is known here, since the upstream's side cannot tell. */
export interface PassingBody extends ComingBody {
  readonly failure: Failure | null;
}

/** What a transport brings of a request to an API that is passed through. */
export interface RelayedCall extends WaitingClient, Caller {
  /** Of the API's own clients; what its upstreams say is read in their words, too. */
  readonly envelope: ClientFormat;
  readonly api: RelayedApiName;
  readonly method: RelayedMethod;
  /** Below the API's path, as the client has written it: empty, or with a slash or a colon (Google's methods) in front. */
  readonly tail: string;
  /** At Google's addresses for uploads. */
  readonly isUpload: boolean;
  readonly query: URLSearchParams;
  header(name: string): string | null;
  /** Where the client reaches the gateway, such as `https://gateway.example`. */
  origin(): string;
  /** What the header says of the body's length; `null` for nothing. */
  readonly bodyBytes: number | null;
  /** The whole of a JSON body, within the bound of all bodies. */
  readBody(accountId: string): Promise<Uint8Array<ArrayBuffer> | Failure>;
  /** The body as it comes, within the bound of uploads; `null` where there is none. */
  passBody(accountId: string): PassingBody | Failure | null;
}

/** An answer's bytes on their way down, pulled by the transport. */
export interface RelayedStream {
  /** The next bytes, `null` at the end; a failure where the answer has been cut, so that the client's connection must be, too. */
  next(): Promise<Uint8Array | null | Failure>;
  clientLeft(): void;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | string | RelayedStream | null;
  readonly isEventStream: boolean;
}
