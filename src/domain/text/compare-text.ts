/** The order of code units: the same everywhere, whatever the language of the machine. For `sort`. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
