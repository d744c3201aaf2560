/* Read members of a JSON object from an untrusted sender, each as its expected type. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns a non-empty text or `null`: servers without optional members write an empty text for an absent one. */
export function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Returns a count, such as a number of tokens, rounded; `null` if the value is negative or not a safe integer's size. */
export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : null;
}

/** Returns the largest valid count among the values, rounded up; `null` if none exists. */
export function largestCount(...values: readonly unknown[]): number | null {
  let largest: number | null = null;
  for (const value of values) {
    if (typeof value !== 'number' || !(value >= 0)) continue;
    largest = Math.max(largest ?? 0, Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER));
  }
  return largest;
}

/** The formats' own schemas use 32-bit indexes. */
const MAX_INDEX = 2 ** 31 - 1;

/** Returns the index that an answer states, or `place` if it is not a valid one. */
export function indexOr(value: unknown, place: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INDEX ? value : place;
}

/** Returns the indexes of a whole answer's candidates: their own if these are distinct, else their positions. */
export function candidateIndexes(own: readonly unknown[]): readonly number[] {
  if (own.length === 1) return [indexOr(own[0], 0)];
  const indexes = own.map(indexOr);
  return new Set(indexes).size === indexes.length ? indexes : own.map((_, place) => place);
}

/** Returns whether a value is more than its type's zero, which servers without optional members write for an absent one. */
export function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value !== 'object' || value === null) return Boolean(value);
  for (const key in value) if (saysSomething(Reflect.get(value, key))) return true;
  return false;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the JSON text of a call's arguments; an empty object if the model wrote none, because clients parse the text. */
export function callArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** Returns the texts in a list; `null` if the value is no list. */
export function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : null;
}
