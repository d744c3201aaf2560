import type { Losses } from '../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { EncodeTarget } from '../format.ts';

/** A JSON object in the making. */
export type Wire = Record<string, unknown>;

/** An upstream body in the making. */
export interface Writing {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** The request came in this format: what it says beyond the canonical request goes back into its place. */
  readonly isOwn: boolean;
  /** What was written, by the client's path to it. */
  readonly written: Map<string, Wire>;
  /** Items that must not name themselves, because the reasoning item that their id belongs to is not sent. */
  readonly withoutIds: Set<string>;
}
