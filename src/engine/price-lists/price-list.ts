import { isObject } from './list-entry.ts';
import { isLitellmEntry, readLitellmList } from './litellm-list.ts';
import { isModelsDevEntry, readModelsDevList } from './models-dev-list.ts';
import type { KnownProviders, PriceList } from './price-list-model.ts';

export type ParsedPriceList =
  | { readonly ok: true; readonly list: PriceList }
  /** `problem` is a sentence for the operator who named the list. */
  | { readonly ok: false; readonly problem: string };

const EXPECTED = "LiteLLM's model_prices_and_context_window.json or models.dev's api.json";

/**
 * Reads either of the two public price lists. Malformed entries are left out and counted; only content that is not a list at all is a
 * problem. Never throws.
 */
export function parsePriceList(json: unknown, providers: KnownProviders): ParsedPriceList {
  if (!isObject(json)) {
    return { ok: false, problem: `This is not a price list: ${EXPECTED} is a JSON object, not ${kindOf(json)}.` };
  }
  for (const entry of Object.values(json)) {
    if (isLitellmEntry(entry)) return { ok: true, list: readLitellmList(json, providers) };
    if (isModelsDevEntry(entry)) return { ok: true, list: readModelsDevList(json, providers) };
  }
  return {
    ok: false,
    problem: `No entry of this JSON object has the form of a known price list: expected ${EXPECTED}.`,
  };
}

function kindOf(json: unknown): string {
  if (json === null) return 'null';
  return Array.isArray(json) ? 'an array' : `a ${typeof json}`;
}
