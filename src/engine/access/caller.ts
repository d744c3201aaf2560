import type { Envelope } from '../../formats/wire.ts';
import type { DelegatedCredential } from './delegated-key.ts';

/** The sender of a request, as far as it is known before the key is checked. */
export interface Caller {
  /** The format of the client's limit headers. */
  readonly envelope: Pick<Envelope, 'limitHeaders'>;
  /** The credential as presented, without `Bearer`, or its substitute; `null` for none. */
  readonly secret: string | DelegatedCredential | null;
  /** Returns the address of the client. It is needed only if the key is wrong, and costs more than checking the key. */
  address(): string | null;
}
