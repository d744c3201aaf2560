import { FACT_NAMES } from './facts.ts';
import { ANTONYMS, NEGATIVE_PREFIXES } from './opposites.ts';
import type { Question } from './question.ts';
import type { Token } from './tokens.ts';
import { PREPOSITIONS } from './words.ts';

/** Rules that refuse a match regardless of other similarities. */
const STRICT_RULES = [...FACT_NAMES, 'names', 'antonyms', 'question', 'person', 'order'] as const;
/**
 * Rules about wording. If the texts are otherwise nearly the same, such a difference is essential, and the rule refuses. Otherwise the
 * sentences are built differently, and the learned score decides, using these rules as features.
 */
const MINOR_RULES = ['kind', 'tense', 'enumeration', 'manner'] as const;
/** The maximum number of different content words for a minor rule to refuse. */
const MOST_DIFFERENCES = 1;

/** The rules that are features of the score; a difference in modality alone does not refuse. */
export const RULES = [...STRICT_RULES, 'kind', 'modality', 'tense', 'enumeration', 'manner'] as const;
export type RefusalRule = (typeof STRICT_RULES)[number] | (typeof MINOR_RULES)[number];

/** Returns the first rule by which one answer cannot serve both questions; `null` if all rules pass. */
export function refusalOf(one: Question, other: Question): RefusalRule | null {
  const strict = STRICT_RULES.find((rule) => refuses(rule, one, other));
  if (strict !== undefined) return strict;
  const differences =
    one.content.filter((stem) => !other.stems.has(stem)).length +
    other.content.filter((stem) => !one.stems.has(stem)).length;
  if (differences > MOST_DIFFERENCES) return null;
  return MINOR_RULES.find((rule) => refuses(rule, one, other)) ?? null;
}

export function refuses(rule: (typeof RULES)[number], one: Question, other: Question): boolean {
  switch (rule) {
    case 'quoted':
      return hasOwnQuotation(one, other) || hasOwnQuotation(other, one);
    case 'currencies':
      // If one text names no currency, the other's is taken as implied.
      return (
        one.facts.currencies.length * other.facts.currencies.length > 0 &&
        !isEqual(one.facts.currencies, other.facts.currencies)
      );
    case 'numbers':
      // A repeated number counts once.
      return !isEqual(unique(one.facts.numbers), unique(other.facts.numbers));
    case 'dates':
      return !isEqual(withoutToday(one, other), withoutToday(other, one));
    case 'comparatives':
      return differsInDegree(one, other);
    case 'names':
      return hasOwnName(one, other) || hasOwnName(other, one);
    case 'antonyms':
      return hasOpposite(one, other) || hasOpposite(other, one);
    case 'question':
      return asksForAnother(one.frame.kind, other.frame.kind);
    case 'kind':
      return differsInKind(one.frame.kind, other.frame.kind);
    case 'tense':
      return one.frame.tense !== other.frame.tense;
    case 'modality':
      return one.frame.modality !== other.frame.modality;
    case 'person':
      return differsInPerson(one, other);
    case 'order':
      return isReordered(one, other) || isRecounted(one, other);
    case 'enumeration':
      return enumeratesMore(one, other) || enumeratesMore(other, one);
    case 'manner':
      return hasOwnManner(one, other) || hasOwnManner(other, one);
    default:
      return !isEqual(one.facts[rule], other.facts[rule]);
  }
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** Returns whether a text quotes something that the other lacks, even without quotation marks. */
function hasOwnQuotation(one: Question, other: Question): boolean {
  return one.facts.quoted.some((text) => !other.facts.quoted.includes(text) && !other.lower.includes(text));
}

/** Compares degrees. Doing something better, or more of it, is still doing it, unless it is compared with something else (`than`). */
function differsInDegree(one: Question, other: Question): boolean {
  const compares = one.stems.has('than') || other.stems.has('than');
  const [left, right] = [one, other].map(({ facts }) =>
    compares ? facts.comparatives : facts.comparatives.filter((word) => word !== 'more' && word !== 'better'),
  );
  return !isEqual(left ?? [], right ?? []);
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/** Returns the dates; `today` is implied if the other text has no date. */
function withoutToday(one: Question, other: Question): readonly string[] {
  const { dates } = one.facts;
  return other.facts.dates.length === 0 ? dates.filter((date) => date !== 'today') : dates;
}

function hasOwnName(one: Question, other: Question): boolean {
  return one.names.some((name) => !other.stems.has(name));
}

/** Returns whether a stem has an opposite that only the other text contains. A text that contains both asks about both. */
function hasOpposite(one: Question, other: Question): boolean {
  const isOnlyThere = (stem: string) => other.stems.has(stem) && !one.stems.has(stem);
  for (const stem of one.stems) {
    if (other.stems.has(stem)) continue;
    for (const opposite of ANTONYMS.get(stem) ?? []) if (isOnlyThere(opposite)) return true;
    for (const prefix of NEGATIVE_PREFIXES)
      if (stem.startsWith(prefix) && stem.length >= prefix.length + 3 && isOnlyThere(stem.slice(prefix.length)))
        return true;
    if (!stem.endsWith('less')) continue;
    const base = stem.slice(0, -4);
    if (isOnlyThere(base) || isOnlyThere(`${base}ful`)) return true;
  }
  return false;
}

const EXACT_KINDS = new Set(['why', 'when', 'who', 'where', 'whose']);

/** Returns whether the kinds exclude each other, such as a person and a place, or a number and anything else. */
function asksForAnother(one: string, other: string): boolean {
  if (one === other) return false;
  return (EXACT_KINDS.has(one) && EXACT_KINDS.has(other)) || one.startsWith('how ') || other.startsWith('how ');
}

function differsInKind(one: string, other: string): boolean {
  return one !== other && one !== 'none' && other !== 'none';
}

/**
 * Returns whether the persons differ, such as his and hers, or mine and yours. The subject matters in why-questions only; elsewhere it may
 * be impersonal.
 */
function differsInPerson(one: Question, other: Question): boolean {
  const [own, theirs] = [one.frame.persons, other.frame.persons];
  const differIn = (first: string, second: string) =>
    (own.has(first) && theirs.has(second) && !own.has(second)) ||
    (own.has(second) && theirs.has(first) && !theirs.has(second));
  return differIn('him', 'her') || differIn('me', 'your') || (one.frame.kind === 'why' && differIn('i', 'you'));
}

/**
 * Returns whether two words have changed places around something that both texts have between them: `from A to B`, `A is better than B`, `A
 * bites B`. Moving a whole phrase (`in India`) or an alternative (`A or B`) changes nothing.
 */
function isReordered(one: Question, other: Question): boolean {
  const shared = one.places.filter(({ stem }) => other.placeOf.has(stem));
  for (const [index, first] of shared.entries())
    for (const second of shared.slice(index + 1)) {
      const [from, to] = [other.placeOf.get(second.stem)?.at ?? 0, other.placeOf.get(first.stem)?.at ?? 0];
      if (from > to) continue;
      const between = new Set(other.tokens.slice(from + 1, to).flatMap((token) => hingeOf(token)));
      if (between.size === 0) continue;
      if (one.tokens.slice(first.at + 1, second.at).some((token) => hingeOf(token).some((stem) => between.has(stem))))
        return true;
    }
  return false;
}

function hingeOf({ stem, word, isContent }: Token): readonly string[] {
  return isContent || PREPOSITIONS.has(word) ? [stem] : [];
}

/** Returns whether one text repeats a different word than the other: `A … B … B` and `A … A … B`. */
function isRecounted(one: Question, other: Question): boolean {
  let [more, fewer] = [false, false];
  for (const stem of one.content) {
    if (!other.stems.has(stem)) continue;
    const difference = timesOf(stem, one) - timesOf(stem, other);
    more ||= difference > 0;
    fewer ||= difference < 0;
  }
  return more && fewer;
}

function timesOf(stem: string, { tokens }: Question): number {
  return tokens.reduce((sum, token) => sum + Number(token.stem === stem), 0);
}

const JOINING = new Set(['and', 'or', 'nor']);

/** Returns whether one text says `A and B` and the other only one of the two. */
function enumeratesMore(one: Question, other: Question): boolean {
  return one.tokens.some(({ word }, at) => {
    if (!JOINING.has(word)) return false;
    const [before, after] = [one.tokens[at - 1], one.tokens[at + 1]];
    if (before === undefined || after === undefined || after.word === 'why') return false;
    return other.stems.has(before.stem) !== other.stems.has(after.stem);
  });
}

/** Words in -ly that are not adverbs of manner. */
const MILD = new Set(
  'really actually usually exactly currently truly basically simply generally literally honestly possibly probably easily likely family only early apply supply reply italy july daily friendly nearly mostly mainly'.split(
    ' ',
  ),
);

/** Returns whether a text has an adverb of manner that the other lacks: `safely`, `illegally`. */
function hasOwnManner(one: Question, other: Question): boolean {
  return one.tokens.some(
    ({ word, stem }) => word.length > 4 && word.endsWith('ly') && !MILD.has(word) && !other.stems.has(stem),
  );
}
