import { parseJson } from '../json.ts';

/** A member of an object while it is edited. */
export interface KeyValue {
  readonly name: string;
  readonly value: string;
}

/** Returns the text of a value: a string as it is, unless it would be read as something else. */
export function textOfValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return parseJson(value) === undefined ? value : JSON.stringify(value);
}

/** Returns the value of a text: a number, `true`, a list and the like if it is JSON, else the text. */
export function valueOfText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

export function keyValuesOf(map: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(map).map(([name, value]) => ({ name, value: textOfValue(value) }));
}

/** Returns the object; rows without a name are left out. */
export function objectOfRows(rows: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), valueOfText(value.trim())]])),
  );
}
