import type { ModelFile } from '../matcher/model-file.ts';
import type { Question } from '../matcher/question.ts';
import { binOf, type Forest, placeOfTrait, plainFeatures } from '../matcher/score.ts';
import { TRAIT_FAMILIES, traitsOf } from '../matcher/traits.ts';
import { Counts } from './counts.ts';
import { randomFrom, shuffled } from './random.ts';
import { type ForestSettings, type GrownTree, trainForest } from './train-forest.ts';

export interface Example {
  readonly one: Question;
  readonly other: Question;
  readonly cosine: number;
  readonly isSame: boolean;
}

const PLACES = 65_536;
const PENALTY = 1;
const FOLDS = 5;
const MOST_EDGES = 60;
/** Several forests with different seeds make fewer errors together than one. */
const SEEDS = [11, 12, 13, 14];
const FOREST: Omit<ForestSettings, 'seed'> = {
  trees: 500,
  leaves: 24,
  rate: 0.02,
  featureShare: 0.25,
  exampleShare: 0.7,
  leastInLeaf: 20,
  penalty: 5,
};

/** The indexes of an example's traits, by family. */
type TraitPlaces = readonly Uint32Array[];

export function learn(examples: readonly Example[]): ModelFile {
  const labels = Uint8Array.from(examples, ({ isSame }) => Number(isSame));
  const counts = new Counts(examples.flatMap(({ one, other }) => [one, other]));
  const places = examples.map((example) => placesOf(example));
  const sums = sumsOfOthers(places, labels);
  const rows = examples.map(({ one, other, cosine }, at) => [
    ...plainFeatures(one, other, cosine, counts.without(one, other)),
    ...(sums[at] ?? []),
  ]);
  const edges = (rows[0] ?? []).map((_, feature) => edgesOf(rows.map((row) => row[feature] ?? 0)));
  const columns = edges.map((bounds, feature) => Uint8Array.from(rows, (row) => binOf(row[feature] ?? 0, bounds)));
  const forests = SEEDS.map((seed) => trainForest(columns, labels, { ...FOREST, seed }));
  const forest = packed(
    forests.flat().map((tree) => tree.map((node) => ({ ...node, value: node.value / SEEDS.length }))),
  );
  const { weights, unit } = wholeNumbers(trainWeights(places.map(flat), labels, PLACES, PENALTY));
  const tables = counts.tables(PLACES);
  return {
    texts: tables.texts,
    words: tables.words.toBase64(),
    combinations: tables.combinations.toBase64(),
    traitWeights: new Uint8Array(weights.buffer).toBase64(),
    traitUnit: unit,
    edges: edges.map((bounds) => base64(bounds)),
    roots: base64(forest.roots),
    features: base64(forest.features),
    bins: base64(forest.bins),
    rights: base64(forest.rights),
    values: base64(forest.values),
    valueUnit: forest.valueUnit,
  };
}

function placesOf({ one, other }: Example): TraitPlaces {
  const traits = traitsOf(one, other);
  return TRAIT_FAMILIES.map((family) =>
    Uint32Array.from(traits[family], (trait) => placeOfTrait(family, trait, PLACES)),
  );
}

function flat(places: TraitPlaces): Uint32Array {
  return Uint32Array.from(places.flatMap((family) => [...family]));
}

/** Returns the sums of trait weights learned from other examples, since in production the weights have not seen the pair either. */
function sumsOfOthers(places: readonly TraitPlaces[], labels: Uint8Array): readonly (readonly number[])[] {
  const order = shuffled(places.length, randomFrom(2));
  const sums: (readonly number[])[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const isIn = (_: number, at: number) => at % FOLDS === fold;
    const training = order.filter((example, at) => !isIn(example, at));
    const weights = trainWeights(
      [...training].map((example) => flat(places[example] ?? [])),
      Uint8Array.from(training, (example) => labels[example] ?? 0),
      PLACES,
      PENALTY,
    );
    for (const example of order.filter(isIn))
      sums[example] = (places[example] ?? []).map((family) =>
        family.reduce((sum, place) => sum + (weights[place] ?? 0), 0),
      );
  }
  return sums;
}

/** Returns the boundaries between equally full bins, as many as allowed. */
function edgesOf(values: readonly number[]): Float32Array {
  const sorted = Float64Array.from(values).sort();
  const distinct = new Set<number>();
  for (let bin = 1; bin <= MOST_EDGES; bin++) {
    const at = Math.floor((bin * sorted.length) / (MOST_EDGES + 1));
    const value = sorted[at] ?? 0;
    const after = sorted.subarray(at).find((later) => later > value);
    if (after !== undefined) distinct.add(Math.fround((value + after) / 2));
  }
  return Float32Array.from(distinct).sort();
}

function wholeNumbers(weights: Float64Array): { weights: Int8Array<ArrayBuffer>; unit: number } {
  const most = weights.reduce((highest, weight) => Math.max(highest, Math.abs(weight)), 0);
  const unit = most / 127;
  return { weights: Int8Array.from(weights, (weight) => Math.round(weight / unit)), unit };
}

function packed(trees: readonly GrownTree[]): Forest {
  const nodes = trees.flat();
  const valueUnit = nodes.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0) / 32_767;
  let start = 0;
  const roots = trees.map((tree) => {
    start += tree.length;
    return start - tree.length;
  });
  return {
    roots: Uint32Array.from(roots),
    features: Uint8Array.from(nodes, ({ feature }) => feature),
    bins: Uint8Array.from(nodes, ({ bin }) => bin),
    rights: Uint8Array.from(nodes, ({ right }) => right),
    values: Int16Array.from(nodes, ({ value }) => Math.round(value / valueUnit)),
    valueUnit,
  };
}

function base64(array: Uint32Array | Uint8Array | Int16Array | Float32Array): string {
  return new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength).toBase64();
}

const EPOCHS = 30;
const RATE = 0.1;

/**
 * Trains a logistic regression over binary features with AdaGrad and decay towards 0. `rows` contains the features of each example;
 * `penalty` is the strength of the decay relative to the total loss.
 */
function trainWeights(rows: readonly Uint32Array[], labels: Uint8Array, places: number, penalty: number): Float64Array {
  const weights = new Float64Array(places);
  const squares = new Float64Array(places).fill(1e-3);
  const uses = new Float64Array(places);
  for (const row of rows) for (const place of row) uses[place] = (uses[place] ?? 0) + 1;
  const random = randomFrom(1);
  let [bias, biasSquares] = [0, 1e-3];
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const at of shuffled(rows.length, random)) {
      const row = rows[at] ?? new Uint32Array(0);
      let sum = bias;
      for (const place of row) sum += weights[place] ?? 0;
      const error = 1 / (1 + Math.exp(-sum)) - (labels[at] ?? 0);
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
      for (const place of row) {
        const weight = weights[place] ?? 0;
        // Each use of a weight carries its share of the penalty, so that rare features do not decay while absent.
        const slope = error + (penalty * weight) / (uses[place] ?? 1);
        const square = (squares[place] ?? 0) + slope * slope;
        squares[place] = square;
        weights[place] = weight - (RATE * slope) / Math.sqrt(square);
      }
    }
  return weights;
}
