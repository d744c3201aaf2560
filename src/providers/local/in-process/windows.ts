/** Splits the list into as few parts of at most `most` as possible, whose lengths differ by at most one. */
export function windowsOf(tokens: readonly number[], most: number): readonly (readonly number[])[] {
  const count = Math.ceil(tokens.length / most);
  return Array.from({ length: count }, (_, part) =>
    tokens.slice(Math.ceil((part * tokens.length) / count), Math.ceil(((part + 1) * tokens.length) / count)),
  );
}
