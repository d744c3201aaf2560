import type { NearQuestion } from '../../engine/ports/question-index.ts';
import { bytesOfSlot, MOST_DIMENSIONS, VectorTable } from './vector-table.ts';

/** Measured: a key of 43 characters with its index entries. */
const BYTES_OF_KEY = 400;
/** Measured: a partition without questions. */
const BYTES_OF_PARTITION = 300;
/** The slots' memory is limited to 4 GiB. */
const MOST_BYTES = 3.5 * 1024 ** 3;
/** Smaller partitions are not sorted. */
const LEAST_SORTED = 4_096;

/** A partition that has been looked up. */
interface Partition {
  readonly name: string;
  readonly slots: number[];
  /** Whether all its questions have been loaded. */
  isWhole: boolean;
  /** The number of entries in `slots` that may be out of memory order. */
  displaced: number;
}

/** The owner of free slots. */
const NOBODY: Partition = { name: '', slots: [], isWhole: false, displaced: 0 };

export interface AddedQuestions {
  readonly partition: string;
  readonly keys: readonly string[];
  /** The vectors of all keys, concatenated, as 32-bit floats. */
  readonly vectors: Float32Array<ArrayBuffer>;
}

/** Returns the memory of one question, in bytes. */
export function bytesOfQuestion(dimensions: number): number {
  return bytesOfSlot(dimensions) + BYTES_OF_KEY;
}

/**
 * Questions by partition, within a memory limit. The least recently used partitions are evicted as a whole; if a single partition is too
 * large, its oldest questions are.
 */
export class PartitionedQuestions {
  /** Ordered from the least recently used. */
  private readonly partitions = new Map<string, Partition>();
  /** The slot of each key, ordered from the oldest. */
  private readonly slots = new Map<string, number>();
  /** Indexed by slot. */
  private readonly keys: string[] = [];
  private readonly owners: Partition[] = [];
  private readonly positions: number[] = [];
  private table: VectorTable | null = null;

  private readonly mostBytes: number;

  constructor(mostBytes: number) {
    this.mostBytes = Math.min(mostBytes, MOST_BYTES);
  }

  get count(): number {
    return this.slots.size;
  }

  get bytes(): number {
    const ofQuestion = this.table === null ? 0 : bytesOfQuestion(this.table.dimensions);
    return this.slots.size * ofQuestion + this.partitions.size * BYTES_OF_PARTITION;
  }

  /**
   * Returns the nearest questions. `unknown` means that the caller must add the questions of this partition and then mark it `whole`, or
   * `forget` it; `loading` means that another caller is doing so.
   */
  nearest(
    name: string,
    vector: Float32Array,
    of: { readonly most: number; readonly least: number },
  ): readonly NearQuestion[] | 'unknown' | 'loading' {
    const table = this.tableFor(vector.length);
    if (table === null) return [];
    const partition = this.partitions.get(name);
    if (partition === undefined) {
      this.partitions.set(name, { name, slots: [], isWhole: false, displaced: 0 });
      this.makeRoom(name);
      return 'unknown';
    }
    this.touch(partition);
    if (!partition.isWhole) return 'loading';
    this.sort(partition);
    return table
      .nearest(partition.slots, vector, of)
      .map(({ slot, cosine }) => ({ key: this.keys[slot] ?? '', cosine }));
  }

  /** Does nothing for a partition that has not been looked up. Replaces a known key. */
  add({ partition: name, keys, vectors }: AddedQuestions): void {
    const partition = this.partitions.get(name);
    const dimensions = vectors.length / keys.length;
    if (partition === undefined || this.table?.dimensions !== dimensions) return;
    this.touch(partition);
    for (const [index, key] of keys.entries()) {
      this.removeOne(key);
      const slot = this.table.add(vectors.subarray(index * dimensions, (index + 1) * dimensions));
      if (slot === null) continue;
      const before = partition.slots.at(-1) ?? -1;
      if (slot < before) partition.displaced++;
      this.slots.set(key, slot);
      this.keys[slot] = key;
      this.owners[slot] = partition;
      this.positions[slot] = partition.slots.length;
      partition.slots.push(slot);
      this.makeRoom(name);
    }
  }

  whole(name: string): void {
    const partition = this.partitions.get(name);
    if (partition !== undefined) partition.isWhole = true;
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.removeOne(key);
  }

  forget(name: string): void {
    const partition = this.partitions.get(name);
    if (partition === undefined) return;
    this.partitions.delete(name);
    for (const slot of partition.slots) {
      this.slots.delete(this.keys[slot] ?? '');
      this.release(slot);
    }
  }

  clear(): void {
    this.partitions.clear();
    this.slots.clear();
    this.keys.length = this.owners.length = this.positions.length = 0;
    this.table = null;
  }

  /**
   * Returns the table for vectors of this length. A different length means that the embedding model has changed, so the old vectors are
   * dropped as incomparable.
   */
  private tableFor(dimensions: number): VectorTable | null {
    if (this.table?.dimensions === dimensions) return this.table;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS) return null;
    this.clear();
    this.table = new VectorTable(dimensions);
    return this.table;
  }

  private touch(partition: Partition): void {
    this.partitions.delete(partition.name);
    this.partitions.set(partition.name, partition);
  }

  /** Evicts until the limit holds. The partition `name` is the most recently used. */
  private makeRoom(name: string): void {
    while (this.bytes > this.mostBytes) {
      const [first] = this.partitions.keys();
      if (first !== undefined && first !== name) this.forget(first);
      else {
        const [oldest] = this.slots.keys();
        if (oldest === undefined) return;
        this.removeOne(oldest);
      }
    }
  }

  private removeOne(key: string): void {
    const slot = this.slots.get(key);
    const partition = slot === undefined ? undefined : this.owners[slot];
    if (slot === undefined || partition === undefined) return;
    this.slots.delete(key);
    const position = this.positions[slot] ?? 0;
    const last = partition.slots.pop();
    if (last !== undefined && last !== slot) {
      partition.slots[position] = last;
      this.positions[last] = position;
      partition.displaced++;
    }
    this.release(slot);
  }

  private release(slot: number): void {
    this.keys[slot] = '';
    this.owners[slot] = NOBODY;
    this.table?.remove(slot);
  }

  /** Sorts slots by address, which makes a search five times as fast. */
  private sort(partition: Partition): void {
    const { slots } = partition;
    if (slots.length < LEAST_SORTED || partition.displaced < slots.length / 8) return;
    for (const [position, slot] of Uint32Array.from(slots).sort().entries()) {
      slots[position] = slot;
      this.positions[slot] = position;
    }
    partition.displaced = 0;
  }
}
