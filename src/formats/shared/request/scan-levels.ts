import { equalAt } from '../json/json-scan.ts';

export const BODY_BOUNDS = {
  /**
   * No real schema, conversation or tool argument nests deeper. Deeper values would overflow the stack of `JSON.stringify` and
   * other code.
   */
  depth: 500,
  /** A conversation of two megabytes with a hundred tools has about 30,000. Processing this many takes about 20 ms. */
  values: 100_000,
  /**
   * The most names in one object: a hundred thousand names in one object cost a hundred times as much as in a hundred objects.
   */
  members: 20_000,
  nameBytes: 64 * 1024,
  duplicates: 64,
  /** White space between values: 100,000 lines, each indented by four spaces for each of 20 levels, have this much. */
  spaceBytes: 8 * 1024 * 1024,
} as const;

/** The depth of the members of an item: the body, the list, and the item itself. */
const ITEM_DEPTH = 3;
const CONTENT = new TextEncoder().encode('"content"');

/** The first names of an object are compared one by one. */
export const FEW = 16;

/** The state of each open level. */
export class Levels {
  readonly isObject = new Uint8Array(BODY_BOUNDS.depth + 1);
  readonly start = new Int32Array(BODY_BOUNDS.depth + 1);
  /** The number of members or items so far. */
  readonly count = new Int32Array(BODY_BOUNDS.depth + 1);
  /** Hashes of the level's first names. */
  readonly hashes = new Int32Array((BODY_BOUNDS.depth + 1) * FEW);
  readonly nameStarts = new Int32Array((BODY_BOUNDS.depth + 1) * FEW);
  readonly latestName = new Int32Array(BODY_BOUNDS.depth + 1);
  /** All names of the level, once there are more than `FEW`. */
  readonly names: (Set<string> | undefined)[] = [];

  /** Returns whether a value at this depth is the `content` of an item of a list in the body: of a message. */
  isContent(depth: number, bytes: Uint8Array): boolean {
    if (depth !== ITEM_DEPTH || this.isObject[ITEM_DEPTH] === 0 || this.isObject[ITEM_DEPTH - 1] === 1) return false;
    return equalAt(bytes, this.latestName[ITEM_DEPTH] ?? 0, CONTENT);
  }
}

/** A part of the body whose text is kept. */
export interface ChangingValue {
  readonly path: readonly PropertyKey[];
  readonly start: number;
  readonly end: number;
}
