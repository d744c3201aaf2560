import { EditDistance } from '../../../domain/catalog/edit-distance.ts';

/** Returns the candidate that a person most likely meant, or `null` if none is near. Case is ignored. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  const distance = new EditDistance();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const found = distance.between(wanted, candidate.toLowerCase(), Math.ceil(bestDistance));
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** Returns a clause for the end of an error message, such as ` (did you mean "api_key"?)`, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = closest(word.slice(0, 100), candidates);
  return guess === null ? '' : ` (did you mean "${guess}"?)`;
}
