import type { NearQuestion } from '../../engine/ports/question-index.ts';
import { bytesOfSlot, MOST_DIMENSIONS, VectorTable } from './vector-table.ts';

/** Measured: the key, of 43 characters, and what finds a question by it and by its slot. */
const BYTES_OF_KEY = 400;
/** Measured: a partition without questions. */
const BYTES_OF_PARTITION = 300;
/** The memory that the slots are in ends at 4 GiB. */
const MOST_BYTES = 3.5 * 1024 ** 3;
/** A partition of fewer questions is searched in any order. */
const LEAST_SORTED = 4_096;

/** A partition that has been asked for. */
interface Partition {
  readonly name: string;
  readonly slots: number[];
  /** All its questions have been loaded. */
  isWhole: boolean;
  /** How many of `slots` may not be where the order of memory has them. */
  displaced: number;
}

/** Whose the free slots are. */
const NOBODY: Partition = { name: '', slots: [], isWhole: false, displaced: 0 };

export interface AddedQuestions {
  readonly partition: string;
  readonly keys: readonly string[];
  /** Of all keys, one after the other, as 32-bit floating-point numbers. */
  readonly vectors: Float32Array<ArrayBuffer>;
}

/** What one question occupies, in bytes. */
export function bytesOfQuestion(dimensions: number): number {
  return bytesOfSlot(dimensions) + BYTES_OF_KEY;
}

/**
 * Questions by their partitions, within a number of bytes. The least recently used partitions are forgotten, as a whole; of one that
 * is too large by itself, the oldest questions.
 */
export class PartitionedQuestions {
  /** The least recently used first. */
  private readonly partitions = new Map<string, Partition>();
  /** Slots; the oldest first. */
  private readonly slots = new Map<string, number>();
  /** By slot. */
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
   * `unknown`: whoever asks has to add the questions of this partition and to say that it is `whole`, or to `forget` it. `loading`:
   * somebody has been told so already.
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

  /** Does nothing for a partition that has not been asked for. A key that is known is replaced. */
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

  /** One process has one embedding model: vectors of another length mean that the model has changed, and nothing is comparable. */
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

  /** For the partition `name`, which is the most recently used one. */
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

  /** In the order of memory a search is five times as fast as in any other one. */
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
