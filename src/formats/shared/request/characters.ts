/** The characters of a text (code points); of one that has no more than `most` UTF-16 units, the number of these. */
export function charactersIn(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let characters = 0;
  for (let at = 0; at < text.length; characters++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return characters;
}
