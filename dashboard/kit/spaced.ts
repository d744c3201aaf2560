/** Puts a no-break space between a number and a letter unit, which the narrow form of English omits. */
export function spaced(text: string): string {
  return text.replace(/(?<=\d)(?=[a-z])/, '\u00a0');
}
