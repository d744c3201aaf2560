/** PostgreSQL's text has no NUL, so an id with one is never there; asking for it would be an error. */
export function isStorable(id: string): boolean {
  return !id.includes('\0');
}

/** Texts of upstreams and clients may have characters that no text of PostgreSQL can hold. */
export function toStorable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** As SQL takes a LIMIT. */
export function toLimit(limit: number): number {
  return Math.max(0, Math.floor(limit));
}
