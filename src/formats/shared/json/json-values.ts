/* Reads members of a JSON object from an untrusted sender: each as the type that it should have. */

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A text that says something; servers without optional members write an empty one for none. */
export function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
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

/** The largest of the values that are such numbers, rounded up; `null` where none is. */
export function largestCount(...values: readonly unknown[]): number | null {
  let largest: number | null = null;
  for (const value of values) {
    if (typeof value !== 'number' || !(value >= 0)) continue;
    largest = Math.max(largest ?? 0, Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER));
  }
  return largest;
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

/** Whether a value is more than the zero of its type, which servers without optional members write for nothing. */
export function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value !== 'object' || value === null) return Boolean(value);
  for (const key in value) if (saysSomething(Reflect.get(value, key))) return true;
  return false;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The JSON text of a call's arguments; an empty object where the model has written none, because clients parse them. */
export function callArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}
