import { parseJson } from './json.ts';

/** What was written into a field, without the white space around it; `null` where nothing was. */
export function said(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** What is no number goes on as the text that it is, whatever its type: the gateway says what it must be. */
export function numberSaid(text: string): number | null {
  const written = said(text);
  if (written === null) return null;
  const number = Number(written);
  return Number.isFinite(number) ? number : (written as unknown as number);
}

/** What is no JSON goes on as it is: the gateway says what it must be. */
export function jsonSaid(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** The members of `after` that are other ones in `before`. */
export function changedMembers<Members extends object>(before: Members, after: Members): Partial<Members> {
  const old = before as Readonly<Record<string, unknown>>;
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]));
  return Object.fromEntries(changed) as Partial<Members>;
}
