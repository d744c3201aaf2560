/**
 * What is waited for, by a number that its answer will name. Numbers begin at 1, and the number of what was taken is given again. Not a
 * `Map` with ascending numbers: what has left one is kept in memory until a full collection (`bag.ts`).
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

  /** Gives it and forgets it; `undefined` where nothing has the number. */
  take(number: number): Item | undefined {
    const item = this.items[number];
    if (item === undefined) return undefined;
    this.items[number] = undefined;
    this.free.push(number);
    return item;
  }

  /** Those that are there now, which may be taken while they are looked at. */
  all(): readonly (readonly [number: number, item: Item])[] {
    return this.items.flatMap((item, number) => (item === undefined ? [] : [[number, item] as const]));
  }
}
