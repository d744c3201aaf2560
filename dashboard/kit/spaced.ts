/** Puts a no-break space between a number and a unit of letters, which the narrow form of English leaves out. */
export function spaced(text: string): string {
  return text.replace(/(?<=\d)(?=[a-z])/, '\u00a0');
}
