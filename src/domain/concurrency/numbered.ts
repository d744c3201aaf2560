/**
 * Pending items by the number that their answer will name. Numbers begin at 1 and are reused. A `Map` with ascending numbers
 * would keep removed items in memory until a full collection (`bag.ts`).
 */
export class Numbered<Item> {
  private readonly items: (Item | undefined)[] = [undefined];
  private readonly free: number[] = [];

  get size(): number {
    return this.items.length - 1 - this.free.length;
  }

  add(item: Item): number {
    const number = this.free.pop() ?? this.items.length;
    this.items[number] = item;
    return number;
  }

  /** Removes and returns an item; `undefined` if the number is unused. */
  take(number: number): Item | undefined {
    const item = this.items[number];
    if (item === undefined) return undefined;
    this.items[number] = undefined;
    this.free.push(number);
    return item;
  }

  /** Returns the current items, which may be taken during the iteration. */
  all(): readonly (readonly [number: number, item: Item])[] {
    return this.items.flatMap((item, number) => (item === undefined ? [] : [[number, item] as const]));
  }
}
