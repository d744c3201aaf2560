import type { ClientFormat } from '../../formats/format.ts';

/** Whoever is at the door: what is known of him before his key is looked at. */
export interface Caller {
  /** In whose words he is told of limits. */
  readonly format: Pick<ClientFormat, 'limitHeaders'>;
  /** The credential as presented, without `Bearer`; `null` where there is none. */
  readonly secret: string | null;
  /** Where he calls from; asked for only when his key is none, since it costs more than looking at the key. */
  address(): string | null;
}
