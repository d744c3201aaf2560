/**
 * Returns the number of code points in a text. For a text of at most `most` UTF-16 units, returns the number of units instead,
 * because that is enough to know that it is short enough.
 */
export function charactersIn(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let characters = 0;
  for (let at = 0; at < text.length; characters++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return characters;
}
