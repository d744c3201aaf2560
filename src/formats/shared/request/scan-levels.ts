export const BODY_BOUNDS = {
  /** No schema, no conversation and no tool's arguments nest deeper; `JSON.stringify` and whoever walks through a value would. */
  depth: 500,
  /** A conversation of two megabytes with a hundred tools has about 30,000. What is done with all of them takes about 20 ms. */
  values: 100_000,
  /** The most names of one object: a hundred thousand names in one object cost a hundred times as much as in a hundred objects. */
  members: 20_000,
  nameBytes: 64 * 1024,
  duplicates: 64,
  /** Between the values; indented by four for each of 20 levels, 100,000 lines have as much. */
  spaceBytes: 8 * 1024 * 1024,
} as const;

/** An object's first names are compared one by one. */
export const FEW = 16;

/** Of each level that is open. */
export class Levels {
  readonly isObject = new Uint8Array(BODY_BOUNDS.depth + 1);
  readonly start = new Int32Array(BODY_BOUNDS.depth + 1);
  /** Members or items so far. */
  readonly count = new Int32Array(BODY_BOUNDS.depth + 1);
  /** Of the first names of the level. */
  readonly hashes = new Int32Array((BODY_BOUNDS.depth + 1) * FEW);
  readonly nameStarts = new Int32Array((BODY_BOUNDS.depth + 1) * FEW);
  readonly latestName = new Int32Array(BODY_BOUNDS.depth + 1);
  /** All names of the level, once they are no longer few. */
  readonly names: (Set<string> | undefined)[] = [];
}

/** A part of the body whose text is kept. */
export interface ChangingValue {
  readonly path: readonly PropertyKey[];
  readonly start: number;
  readonly end: number;
}
