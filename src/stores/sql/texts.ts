/** Whether an id can exist. PostgreSQL's text cannot contain NUL, and querying for it is an error. */
export function isStorable(id: string): boolean {
  return !id.includes('\0');
}

/** Replaces characters in text from upstreams and clients that PostgreSQL cannot store. */
export function toStorable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** Returns a valid SQL LIMIT. */
export function toLimit(limit: number): number {
  return Math.max(0, Math.floor(limit));
}
