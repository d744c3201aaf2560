import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';

/** Returns the member `model` of an answer if it names one. */
export function modelOf(model: unknown): { readonly model?: string } {
  const named = nonEmptyText(model);
  return named === null ? {} : { model: named };
}

/** Returns the model and the service tier that an answer states. */
export function servedAs(model: unknown, serviceTier: unknown): ServedAs {
  return { model: nonEmptyText(model), serviceTier: nonEmptyText(serviceTier) };
}

export const NOTHING_SAID: ServedAs = { model: null, serviceTier: null };

/** Merges two reports about one answer; the later one takes precedence for everything that it states. */
export function laterSaid(earlier: ServedAs, later: ServedAs): ServedAs {
  return { model: later.model ?? earlier.model, serviceTier: later.serviceTier ?? earlier.serviceTier };
}
