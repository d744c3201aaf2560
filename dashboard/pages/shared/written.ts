import { parseJson } from './json.ts';

/** Returns a field's trimmed text; `null` if empty. */
export function said(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Parses a number. An invalid one is returned as text despite its type, so that the gateway reports it. */
export function numberSaid(text: string): number | null {
  const written = said(text);
  if (written === null) return null;
  const number = Number(written);
  return Number.isFinite(number) ? number : (written as unknown as number);
}

/** Parses JSON. Invalid JSON is returned as text, so that the gateway reports it. */
export function jsonSaid(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** Returns the members of `after` that differ from `before`. */
export function changedMembers<Members extends object>(before: Members, after: Members): Partial<Members> {
  const old = before as Readonly<Record<string, unknown>>;
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]));
  return Object.fromEntries(changed) as Partial<Members>;
}
