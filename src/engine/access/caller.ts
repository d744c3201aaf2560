import type { Envelope } from '../../formats/wire.ts';

/** The sender of a request, as far as it is known before the key is checked. */
export interface Caller {
  /** The format in which the client is told about limits. */
  readonly envelope: Pick<Envelope, 'limitHeaders'>;
  /** The credential as presented, without `Bearer`; `null` where there is none. */
  readonly secret: string | null;
  /** The address of the client. It is asked for only if the key is wrong, since it costs more than checking the key. */
  address(): string | null;
}
