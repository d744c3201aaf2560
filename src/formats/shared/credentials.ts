/** The credential of an `Authorization` header, or `null` when the header is absent or no Bearer one. */
export function bearerSecret(header: string | null): string | null {
  if (header === null || header.length < 8) return null;
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : null;
}
