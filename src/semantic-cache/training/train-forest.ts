import { LEAF } from '../matcher/score.ts';
import { randomFrom, shuffled } from './random.ts';

export interface ForestSettings {
  readonly trees: number;
  readonly leaves: number;
  readonly rate: number;
  /** The share of features that each tree uses, and of examples. */
  readonly featureShare: number;
  readonly exampleShare: number;
  readonly leastInLeaf: number;
  readonly penalty: number;
  readonly seed: number;
}

/** A tree in the layout of `Forest`, as consecutive nodes. */
export type GrownTree = readonly PackedNode[];

interface PackedNode {
  readonly feature: number;
  readonly bin: number;
  readonly right: number;
  readonly value: number;
}

interface Split {
  readonly feature: number;
  readonly bin: number;
  readonly gain: number;
}

interface Node {
  /** The range of its examples in the order. */
  readonly from: number;
  readonly to: number;
  split: Split | null;
  value: number;
  left: Node | null;
  right: Node | null;
}

/** The bins of examples (`binOf`), by feature. */
export type Columns = readonly Uint8Array[];

/**
 * Trains gradient-boosted trees for a probability, grown leaf by leaf, the best first. Each feature's split is chosen at random, and the
 * best feature wins: with few examples this makes fewer errors than the best split.
 */
export function trainForest(columns: Columns, labels: Uint8Array, settings: ForestSettings): readonly GrownTree[] {
  return new ForestTrainer(columns, labels, settings).train();
}

class ForestTrainer {
  private readonly random: () => number;
  private readonly scores: Float64Array;
  private readonly slopes: Float64Array;
  private readonly curves: Float64Array;
  private order: Uint32Array = new Uint32Array(0);
  private readonly slopeSums = new Float64Array(256);
  private readonly curveSums = new Float64Array(256);
  private readonly counts = new Uint32Array(256);

  constructor(
    private readonly columns: Columns,
    private readonly labels: Uint8Array,
    private readonly settings: ForestSettings,
  ) {
    this.random = randomFrom(settings.seed);
    this.scores = new Float64Array(labels.length);
    this.slopes = new Float64Array(labels.length);
    this.curves = new Float64Array(labels.length);
  }

  train(): readonly GrownTree[] {
    return Array.from({ length: this.settings.trees }, () => packed(this.growTree()));
  }

  private growTree(): Node {
    for (let at = 0; at < this.labels.length; at++) {
      const chance = 1 / (1 + Math.exp(-(this.scores[at] ?? 0)));
      this.slopes[at] = chance - (this.labels[at] ?? 0);
      this.curves[at] = chance * (1 - chance);
    }
    const { exampleShare, featureShare, leaves } = this.settings;
    this.order = shuffled(this.labels.length, this.random).subarray(0, Math.round(exampleShare * this.labels.length));
    const features = shuffled(this.columns.length, this.random).subarray(
      0,
      Math.ceil(featureShare * this.columns.length),
    );
    const root = this.makeNode(0, this.order.length, features);
    const open = [root];
    for (let count = 1; count < leaves; count++) {
      const best = open.reduce((first, node) => ((node.split?.gain ?? 0) > (first.split?.gain ?? 0) ? node : first));
      if (best.split === null) break;
      const middle = this.partition(best, best.split);
      best.left = this.makeNode(best.from, middle, features);
      best.right = this.makeNode(middle, best.to, features);
      open.splice(open.indexOf(best), 1, best.left, best.right);
    }
    for (let at = 0; at < this.labels.length; at++) this.scores[at] = (this.scores[at] ?? 0) + this.valueAt(root, at);
    return root;
  }

  private valueAt(root: Node, example: number): number {
    let node = root;
    while (node.left !== null && node.right !== null && node.split !== null)
      node = (this.columns[node.split.feature]?.[example] ?? 0) <= node.split.bin ? node.left : node.right;
    return node.value;
  }

  private makeNode(from: number, to: number, features: Uint32Array): Node {
    let [slope, curve] = [0, 0];
    for (let at = from; at < to; at++) {
      const example = this.order[at] ?? 0;
      slope += this.slopes[example] ?? 0;
      curve += this.curves[example] ?? 0;
    }
    const { penalty, rate } = this.settings;
    const value = (-rate * slope) / (curve + penalty);
    return { from, to, value, split: this.bestSplit(from, to, features, slope, curve), left: null, right: null };
  }

  private bestSplit(from: number, to: number, features: Uint32Array, slope: number, curve: number): Split | null {
    if (to - from < 2 * this.settings.leastInLeaf) return null;
    let best: Split | null = null;
    for (const feature of features) {
      const split = this.bestSplitOf(feature, from, to, slope, curve);
      if (split !== null && split.gain > (best?.gain ?? 1e-6)) best = split;
    }
    return best;
  }

  private bestSplitOf(feature: number, from: number, to: number, slope: number, curve: number): Split | null {
    const { slopeSums, curveSums, counts } = this;
    const { penalty, leastInLeaf } = this.settings;
    slopeSums.fill(0);
    curveSums.fill(0);
    counts.fill(0);
    const column = this.columns[feature] ?? new Uint8Array(0);
    let [lowest, highest] = [255, 0];
    for (let at = from; at < to; at++) {
      const example = this.order[at] ?? 0;
      const bin = column[example] ?? 0;
      if (bin < lowest) lowest = bin;
      if (bin > highest) highest = bin;
      slopeSums[bin] = (slopeSums[bin] ?? 0) + (this.slopes[example] ?? 0);
      curveSums[bin] = (curveSums[bin] ?? 0) + (this.curves[example] ?? 0);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    if (lowest === highest) return null;
    const bound = lowest + Math.floor(this.random() * (highest - lowest));
    let [leftSlope, leftCurve, leftCount] = [0, 0, 0];
    for (let bin = lowest; bin <= bound; bin++) {
      leftSlope += slopeSums[bin] ?? 0;
      leftCurve += curveSums[bin] ?? 0;
      leftCount += counts[bin] ?? 0;
    }
    if (leftCount < leastInLeaf || to - from - leftCount < leastInLeaf) return null;
    const rightSlope = slope - leftSlope;
    const left = (leftSlope * leftSlope) / (leftCurve + penalty);
    const right = (rightSlope * rightSlope) / (curve - leftCurve + penalty);
    return { feature, bin: bound, gain: left + right - (slope * slope) / (curve + penalty) };
  }

  /** Moves the examples that go left before the others, and returns where these begin. */
  private partition({ from, to }: Node, { feature, bin }: Split): number {
    const column = this.columns[feature] ?? new Uint8Array(0);
    let middle = from;
    for (let at = from; at < to; at++) {
      const example = this.order[at] ?? 0;
      if ((column[example] ?? 0) > bin) continue;
      this.order[at] = this.order[middle] ?? 0;
      this.order[middle] = example;
      middle++;
    }
    return middle;
  }
}

function packed(root: Node): GrownTree {
  const nodes: PackedNode[] = [];
  const add = ({ left, right, split, value }: Node): void => {
    if (left === null || right === null || split === null) {
      nodes.push({ feature: LEAF, bin: 0, right: 0, value });
      return;
    }
    const node = { feature: split.feature, bin: split.bin, right: 0, value: 0 };
    const at = nodes.push(node) - 1;
    add(left);
    node.right = nodes.length - at;
    add(right);
  };
  add(root);
  return nodes;
}
