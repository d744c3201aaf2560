import type { Losses } from '../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { EncodeTarget } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import type { OwnMembers } from './own-members.ts';

/** A JSON object while it is being written. */
export type Body = Record<string, unknown>;

/** What every step of encoding one request needs. */
export interface EncodeContext {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  readonly own: OwnMembers;
}

/** The quirk of this kind that holds, the last one if several do. */
export function quirkOf<Kind extends Quirk['kind']>(
  quirks: readonly Quirk[],
  kind: Kind,
): Extract<Quirk, { kind: Kind }> | undefined {
  return quirks.findLast((quirk): quirk is Extract<Quirk, { kind: Kind }> => quirk.kind === kind);
}
