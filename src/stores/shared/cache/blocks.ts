/** Each block takes about 300 bytes. */
const MOST_BLOCKS = 20_000;

export interface Block {
  readonly key: string;
  /** The id of the invalidated entry. */
  readonly id: string;
  readonly untilMs: number;
}

/** Keys that are temporarily blocked, with the invalidated entries that caused it. The oldest are evicted beyond `MOST_BLOCKS`. */
export class Blocks {
  readonly #byKey = new Map<string, number>();
  readonly #byId = new Map<string, Block>();

  add(block: Block): void {
    const { key, id, untilMs } = block;
    const before = this.#byKey.get(key) ?? 0;
    this.#byKey.delete(key);
    this.#byKey.set(key, Math.max(untilMs, before));
    this.#byId.delete(id);
    this.#byId.set(id, block);
    bound(this.#byKey);
    bound(this.#byId);
  }

  isBlocked(key: string, nowMs: number): boolean {
    const untilMs = this.#byKey.get(key);
    return untilMs !== undefined && untilMs > nowMs;
  }

  wasInvalidated(id: string, nowMs: number): boolean {
    const block = this.#byId.get(id);
    return block !== undefined && this.isBlocked(block.key, nowMs);
  }
}

function bound(map: Map<string, unknown>): void {
  if (map.size <= MOST_BLOCKS) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
