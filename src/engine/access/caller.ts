import type { Envelope } from '../../formats/wire.ts';
import type { Vouched } from './vouched-key.ts';

/** The sender of a request, as far as it is known before the key is checked. */
export interface Caller {
  /** The format in which the client is told about limits. */
  readonly envelope: Pick<Envelope, 'limitHeaders'>;
  /** The credential as presented, without `Bearer`, or what stands for it; `null` where there is none. */
  readonly secret: string | Vouched | null;
  /** The address of the client. It is asked for only if the key is wrong, since it costs more than checking the key. */
  address(): string | null;
}
