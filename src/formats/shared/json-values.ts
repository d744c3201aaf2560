/* Members of a JSON object whose sender is not to be relied on: each is read as the type that it should have. */

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** A number of things, such as tokens: whole, not negative, and one that JavaScript can count to. */
export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : null;
}

/** The formats' own documents have 32 bits for an index. */
const MAX_INDEX = 2 ** 31 - 1;

/** A place in a list as an answer says it, or `place` where it says none that could be. */
export function indexOr(value: unknown, place: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INDEX ? value : place;
}

/** The numbers of a whole answer's candidates: their own where these tell them apart, else their places. */
export function candidateIndexes(own: readonly unknown[]): readonly number[] {
  if (own.length === 1) return [indexOr(own[0], 0)];
  const indexes = own.map(indexOr);
  return new Set(indexes).size === indexes.length ? indexes : own.map((_, place) => place);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
