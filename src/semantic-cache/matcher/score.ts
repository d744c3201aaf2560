import { type Commonness, hashOf } from './commonness.ts';
import { likenessOf } from './likeness.ts';
import type { Question } from './question.ts';
import { RULES, refuses } from './refusals.ts';
import { TRAIT_FAMILIES, type Traits, traitsOf } from './traits.ts';

/**
 * Decision trees whose sum is the log-odds, stored one after the other in arrays. A node whose feature is `LEAF` is a leaf; otherwise its
 * left child is the next node.
 */
export interface Forest {
  /** The first node of each tree. */
  readonly roots: Uint32Array;
  readonly features: Uint8Array;
  /** Values in at most this bin go left; a bin is the number of the feature's edges that are smaller. */
  readonly bins: Uint8Array;
  /** The distance from the node to its right child. */
  readonly rights: Uint8Array;
  /** The values of leaves, in `valueUnit`. */
  readonly values: Int16Array;
  readonly valueUnit: number;
}

export const LEAF = 255;

const NO_EDGES = new Float32Array(0);

/** The model that `src/semantic-cache/training/train.ts` learns from pairs of questions. */
export interface Model {
  readonly commonness: Commonness;
  /** Indexed by the hash of a trait. The size is a power of two. */
  readonly traitWeights: Int8Array;
  /** The value of a trait's weight of 1. */
  readonly traitUnit: number;
  /** The bin boundaries of each feature, ascending. */
  readonly edges: readonly Float32Array[];
  readonly forest: Forest;
}

/** Returns the features of a pair without the sums of traits. The flags come last. */
export function plainFeatures(
  one: Question,
  other: Question,
  cosine: number,
  commonness: Commonness,
): readonly number[] {
  return [...likenessOf(one, other, cosine, commonness), ...RULES.map((rule) => Number(refuses(rule, one, other)))];
}

/** Returns the index of a trait's weight among `places`, a power of two. */
export function placeOfTrait(family: keyof Traits, trait: string, places: number): number {
  return hashOf(`${family[0]}${trait}`) & (places - 1);
}

/** Returns the probability, from 0 to 1, that two questions ask for the same. */
export function scoreOf(model: Model, one: Question, other: Question, cosine: number): number {
  const traits = traitsOf(one, other);
  const { traitWeights } = model;
  const sums = TRAIT_FAMILIES.map((family) => {
    let sum = 0;
    for (const trait of traits[family]) sum += traitWeights[placeOfTrait(family, trait, traitWeights.length)] ?? 0;
    return sum * model.traitUnit;
  });
  const features = [...plainFeatures(one, other, cosine, model.commonness), ...sums];
  const bins = features.map((value, at) => binOf(value, model.edges[at] ?? NO_EDGES));
  return 1 / (1 + Math.exp(-sumOfTrees(model.forest, bins)));
}

/** Returns the number of edges that are smaller. */
export function binOf(value: number, edges: Float32Array): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function sumOfTrees(
  { roots, features, bins, rights, values, valueUnit }: Forest,
  row: ArrayLike<number>,
): number {
  let sum = 0;
  for (const root of roots) {
    let node = root;
    for (let feature = features[node] ?? LEAF; feature !== LEAF; feature = features[node] ?? LEAF)
      node += (row[feature] ?? 0) <= (bins[node] ?? 0) ? 1 : (rights[node] ?? 0);
    sum += values[node] ?? 0;
  }
  return sum * valueUnit;
}
