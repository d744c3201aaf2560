import type { Failure } from '../../domain/failure/failure.ts';
import type { FormRules, UploadedForm } from '../../domain/media/uploaded-file.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import type { Caller } from '../access/caller.ts';
import type { ComingBody, WaitingClient } from '../ports/upstream.ts';

export type RelayedMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A client's body in transit. It records why it ended early, which the upstream's side cannot see. */
export interface PassingBody extends ComingBody {
  readonly failure: Failure | null;
}

/** A request to a passed-through API, as the transport passes it on. */
export interface RelayedCall extends WaitingClient, Caller {
  /** The format of the API's own clients, which is also used to read upstream errors. */
  readonly envelope: ClientFormat;
  readonly api: RelayedApiName;
  readonly method: RelayedMethod;
  /** The path below the API's, as the client wrote it: empty, or beginning with a slash or a colon (Google's methods). */
  readonly tail: string;
  /** Whether the request was sent to one of Google's upload URLs. */
  readonly isUpload: boolean;
  readonly query: URLSearchParams;
  header(name: string): string | null;
  /** Returns the origin by which the client reaches the gateway, such as `https://gateway.example`. */
  origin(): string;
  /** The body's length in the header; `null` if the header has none. */
  readonly bodyBytes: number | null;
  /** Reads the whole JSON body, within the bound of all bodies. */
  readBody(accountId: string): Promise<Uint8Array<ArrayBuffer> | Failure>;
  /** Reads the body as a form. Its files exist until `remove` is called. */
  readForm(accountId: string, rules: FormRules): Promise<UploadedForm | Failure>;
  /** Streams the body within the bound of uploads; `null` for none. */
  passBody(accountId: string): PassingBody | Failure | null;
}

/** An answer's bytes, which the transport pulls. */
export interface RelayedStream {
  /**
   * Resolves to the next bytes, `null` at the end, or a failure if the answer was cut, so that the client's connection must be cut, too.
   */
  next(): Promise<Uint8Array | null | Failure>;
  clientLeft(): void;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | string | RelayedStream | null;
  readonly isEventStream: boolean;
}
