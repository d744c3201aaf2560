import type { Commonness } from './commonness.ts';
import type { Question } from './question.ts';

type Rarity = (stem: string) => number;

/** Returns the features by which the learned score compares two questions, in the order of the learned table. They are symmetric. */
export function likenessOf(one: Question, other: Question, cosine: number, commonness: Commonness): readonly number[] {
  const rarity = (stem: string) => commonness.rarityOf(stem);
  const all = overlap([...one.stems], other.stems, [...other.stems], one.stems, rarity);
  const [oneContent, otherContent] = [new Set(one.content), new Set(other.content)];
  const content = overlap(one.content, otherContent, other.content, oneContent, rarity);
  const [oneStems, otherStems] = [stemsOf(one), stemsOf(other)];
  const aligned = longestCommon(oneStems, otherStems);
  const alignedContent = longestCommon(one.content, other.content);
  const shortest = Math.min(oneStems.length, otherStems.length);
  const longest = Math.max(oneStems.length, otherStems.length);
  return [
    cosine,
    shortest,
    longest,
    longest - shortest,
    Math.min(one.content.length, other.content.length),
    Math.max(one.content.length, other.content.length),
    ...all,
    ...content,
    ratio(2 * aligned, shortest + longest),
    ratio(2 * alignedContent, one.content.length + other.content.length),
    gramLikeness(one.key, other.key),
    gramLikeness(one.content.join(' '), other.content.join(' ')),
    ...pairLikeness(oneStems, otherStems),
    equalBeginning(oneStems, otherStems),
    equalBeginning(oneStems.toReversed(), otherStems.toReversed()),
    Number(one.content.at(-1) === other.content.at(-1)),
    Number(one.content[0] === other.content[0]),
    Number(one.frame.kind === other.frame.kind),
    KINDS.indexOf(smaller(one.frame.kind, other.frame.kind)),
    KINDS.indexOf(larger(one.frame.kind, other.frame.kind)),
    one.names.length + other.names.length,
    one.tokens.filter(({ isFirst }) => isFirst).length + other.tokens.filter(({ isFirst }) => isFirst).length,
    one.facts.numbers.length + other.facts.numbers.length,
    nearlyEqualWords(one, other, oneContent, otherContent),
    ...popularity(one, other, commonness),
  ];
}

const KINDS = ['what', 'how', 'why', 'whether', 'who', 'where', 'when', 'how many', 'how much', 'how long'];

export function smaller(one: string, other: string): string {
  return one < other ? one : other;
}

export function larger(one: string, other: string): string {
  return one < other ? other : one;
}

export function stemsOf({ tokens }: Question): readonly string[] {
  return tokens.flatMap(({ kind, stem }) => (kind === 'symbol' ? [] : [stem]));
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Compares two sets of stems: how much they share, and the number, weight and rarity of the stems that they do not. */
function overlap(
  one: readonly string[],
  otherSet: ReadonlySet<string>,
  other: readonly string[],
  oneSet: ReadonlySet<string>,
  rarity: Rarity,
): readonly number[] {
  let [shared, sharedRarity, rarestShared, commonestShared] = [0, 0, 0, 20];
  for (const stem of one) {
    if (!otherSet.has(stem)) continue;
    const rare = rarity(stem);
    shared++;
    sharedRarity += rare;
    rarestShared = Math.max(rarestShared, rare);
    commonestShared = Math.min(commonestShared, rare);
  }
  const left = unmatched(one, otherSet, rarity);
  const right = unmatched(other, oneSet, rarity);
  return [
    shared,
    sharedRarity,
    rarestShared,
    commonestShared,
    ratio(sharedRarity, sharedRarity + left.sum + right.sum),
    ratio(shared, shared + left.count + right.count),
    Math.min(left.count, right.count),
    Math.max(left.count, right.count),
    Math.min(left.sum, right.sum),
    Math.max(left.sum, right.sum),
    Math.min(left.most, right.most),
    Math.max(left.most, right.most),
  ];
}

function unmatched(stems: readonly string[], others: ReadonlySet<string>, rarity: Rarity) {
  let [count, sum, most] = [0, 0, 0];
  for (const stem of stems) {
    if (others.has(stem)) continue;
    const rare = rarity(stem);
    count++;
    sum += rare;
    most = Math.max(most, rare);
  }
  return { count, sum, most };
}

/** Returns Dice's coefficient of neighbouring pairs, and the number of pairs that are not shared. */
function pairLikeness(one: readonly string[], other: readonly string[]): readonly number[] {
  const [left, right] = [neighboursOf(one), neighboursOf(other)];
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return [ratio(2 * shared, left.size + right.size), left.size + right.size - 2 * shared];
}

export function neighboursOf(stems: readonly string[]): ReadonlySet<string> {
  return new Set(stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`));
}

function equalBeginning(one: readonly string[], other: readonly string[]): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** Returns the length of the longest common subsequence. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  let row = new Uint16Array(other.length + 1);
  let next = new Uint16Array(other.length + 1);
  for (const stem of one) {
    for (let at = 0; at < other.length; at++)
      next[at + 1] = stem === other[at] ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0);
    [row, next] = [next, row];
  }
  return row[other.length] ?? 0;
}

/** Returns Dice's coefficient of character trigrams. */
function gramLikeness(one: string, other: string): number {
  const [left, right] = [gramsOf(one), gramsOf(other)];
  let shared = 0;
  for (const gram of left) if (right.has(gram)) shared++;
  return ratio(2 * shared, left.size + right.size);
}

/** Packs three 16-bit code units into one number. */
function gramsOf(text: string): ReadonlySet<number> {
  const grams = new Set<number>();
  for (let at = 2; at < text.length; at++)
    grams.add((text.charCodeAt(at - 2) * 65_536 + text.charCodeAt(at - 1)) * 65_536 + text.charCodeAt(at));
  return grams;
}

/** Counts unshared words that begin alike in both texts: inflections and typos. */
function nearlyEqualWords(
  one: Question,
  other: Question,
  oneSet: ReadonlySet<string>,
  otherSet: ReadonlySet<string>,
): number {
  const left = one.content.filter((stem) => !otherSet.has(stem));
  const right = other.content.filter((stem) => !oneSet.has(stem));
  const near = (stems: readonly string[], others: readonly string[]) =>
    stems.filter((stem) => others.some((candidate) => isNear(stem, candidate))).length;
  return Math.min(near(left, right), near(right, left));
}

function isNear(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return length >= 4 && other.startsWith(one.slice(0, Math.max(4, length - 3)));
}

/** Returns how often people use these words alone, next to each other, and together. Frequent questions are asked in many ways. */
function popularity(one: Question, other: Question, commonness: Commonness): readonly number[] {
  return TOPIC_PARTS.flatMap((part) => {
    const [left, right] = [one.topics[part], other.topics[part]];
    const values = left.map((key) => commonness.logTimesOf(key));
    const others = new Set(right);
    const shared = values.filter((_, at) => others.has(left[at] ?? ''));
    const [mine, theirs] = [spread(values), spread(right.map((key) => commonness.logTimesOf(key)))];
    return [
      ...spread(shared),
      ...mine.flatMap((value, at) => [Math.min(value, theirs[at] ?? 0), Math.max(value, theirs[at] ?? 0)]),
    ];
  });
}

const TOPIC_PARTS = ['words', 'neighbours', 'pairs'] as const;

/** Returns the mean, the maximum and the minimum. */
function spread(values: readonly number[]): readonly number[] {
  if (values.length === 0) return [-1, -1, -1];
  let [sum, most, least] = [0, 0, Number.POSITIVE_INFINITY];
  for (const value of values) {
    sum += value;
    most = Math.max(most, value);
    least = Math.min(least, value);
  }
  return [sum / values.length, most, least];
}
