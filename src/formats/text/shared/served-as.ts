import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';

/** The member `model` of an answer in no provider's words, where it names one. */
export function modelOf(model: unknown): { readonly model?: string } {
  const named = nonEmptyText(model);
  return named === null ? {} : { model: named };
}

/** What an answer says of how it was made, from its own members. */
export function servedAs(model: unknown, serviceTier: unknown): ServedAs {
  return { model: nonEmptyText(model), serviceTier: nonEmptyText(serviceTier) };
}

export const NOTHING_SAID: ServedAs = { model: null, serviceTier: null };

/** Of two reports about one answer the later one, as far as it says something. */
export function laterSaid(earlier: ServedAs, later: ServedAs): ServedAs {
  return { model: later.model ?? earlier.model, serviceTier: later.serviceTier ?? earlier.serviceTier };
}
