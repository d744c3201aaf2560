/** Compares by code units, so that the order is the same on every machine, whatever its locale. For `sort`. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
