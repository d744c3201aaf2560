/** The candidate that a person most likely meant, or `null` when none is near. Case is ignored. */
export function closest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** A clause to end an error with: ` (did you mean "api_key"?)`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = closest(word.slice(0, 100), candidates);
  return guess === null ? '' : ` (did you mean "${guess}"?)`;
}

/** Levenshtein's, by rows. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_value, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
