import type { Principal } from '../../domain/access/principal.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { Envelope } from '../../formats/wire.ts';

/*
 * Substitutes for a secret, for a person who has signed in. Both are class instances, so that nothing a client sends, which is always text,
 * can be mistaken for one.
 */

/** A stored key that the person may use. It is looked up like a secret that was sent, so it expires and is limited in the same ways. */
export class DelegatedKey {
  /** @param secretHash SHA-256 of the key's secret, lower-case hex, as the directory has it */
  constructor(readonly secretHash: string) {}
}

/** An account to be read only, by a person who may act for it although it has no key for that yet. */
export class DelegatedReader {
  /** @param principal the account, with a key that is not stored */
  constructor(readonly principal: Principal) {}
}

export type DelegatedCredential = DelegatedKey | DelegatedReader;

/** The sender of a request, as far as it is known before the key is checked. */
export interface Caller {
  /** The format of the client's limit headers. */
  readonly envelope: Pick<Envelope, 'limitHeaders'>;
  /** The credential as presented, without `Bearer`, or its substitute; `null` for none. */
  readonly secret: string | DelegatedCredential | null;
  /** Returns the address of the client. It is needed only if the key is wrong, and costs more than checking the key. */
  address(): string | null;
  /** Returns the HTTP request. Absent for a call without one of its own, such as a message on a WebSocket. */
  line?(): RequestLine;
  /** The span of the connection that carries the call; absent if it has none, or is not traced. */
  readonly session?: TraceContext | null;
}
