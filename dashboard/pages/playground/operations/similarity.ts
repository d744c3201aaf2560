/** Returns the cosine of the angle between two vectors: 1 for the same direction. Returns `null` if they cannot be compared. */
export function cosine(a: readonly number[], b: readonly number[]): number | null {
  if (a.length !== b.length || a.length === 0) return null;
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? null : dot / Math.sqrt(aa * bb);
}

/** Parses numbers, or 32-bit floats in base64. */
export function vectorOf(embedding: unknown): readonly number[] {
  if (Array.isArray(embedding)) return embedding.map(Number);
  if (typeof embedding !== 'string') return [];
  const bytes = Uint8Array.from(atob(embedding), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => view.getFloat32(index * 4, true));
}
