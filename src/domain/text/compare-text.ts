/** Compares by code units, so that the order is the same on every machine, whatever its locale. For `sort`. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Keeps the first of many distinct texts, in order, without storing the others. */
export class SmallestTexts {
  private kept = new Set<string>();
  /** Texts from this one on are not among the first. */
  private before: string | null = null;

  /** @param after only texts that come after this one; `null` for all */
  constructor(
    private readonly after: string | null,
    private readonly count: number,
  ) {}

  add(text: string): void {
    if (this.after !== null && compareText(text, this.after) <= 0) return;
    if (this.before !== null && compareText(text, this.before) >= 0) return;
    this.kept.add(text);
    // Sorts rarely, so that adding a text is cheap.
    if (this.kept.size >= 2 * this.count + 1) this.trim();
  }

  sorted(): readonly string[] {
    return [...this.kept].sort(compareText).slice(0, this.count);
  }

  private trim(): void {
    const sorted = [...this.kept].sort(compareText);
    this.kept = new Set(sorted.slice(0, this.count));
    this.before = sorted[this.count] ?? null;
  }
}
