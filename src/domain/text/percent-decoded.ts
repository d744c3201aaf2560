/** Decodes percent escapes; returns `null` for a malformed one. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
