/** SQLite has no booleans, and both databases store the same rows. */
export type Flag = 0 | 1;

export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** Parses JSON that a store wrote itself, so that its type is known. */
export function fromJson<Value>(text: string): Value {
  return JSON.parse(text) as Value;
}

export function toNullableJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
