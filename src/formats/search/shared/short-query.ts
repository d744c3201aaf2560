import type { Loss } from '../../../domain/exchange/loss.ts';

const SHORTENED: Loss = {
  field: 'query',
  verdict: 'approximated',
  why: 'the provider takes shorter queries; the end was left out',
};
const NO_SITES: Loss = {
  field: 'search_domain_filter',
  verdict: 'approximated',
  why: "the domains do not fit into the provider's query; the gateway filters the results",
};

/** The most that a provider takes as a query. */
export interface QueryLimits {
  readonly characters: number;
  readonly words: number;
}

/**
 * Returns the query within the provider's limits, and what got lost. The end of the text is left out, and never the operators for domains, which
 * follow it; these are left out as a whole if they need more than half of the room.
 */
export function shortQuery(
  query: string,
  sites: string,
  { characters, words }: QueryLimits,
): { readonly text: string; readonly losses: readonly Loss[] } {
  const operators = sites.length * 2 > characters || wordsOf(sites).length * 2 > words ? '' : sites;
  const room = operators === '' ? characters : characters - operators.length - 1;
  const all = wordsOf(query);
  const kept = all.slice(0, words - wordsOf(operators).length).join(' ');
  // A cut must not end in half of a character.
  const short = kept
    .slice(0, room)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trim();
  const losses = [
    ...(short.length < all.join(' ').length ? [SHORTENED] : []),
    ...(operators === sites ? [] : [NO_SITES]),
  ];
  return { text: operators === '' ? short : `${short} ${operators}`, losses };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
