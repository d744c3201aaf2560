import { EditDistance } from './edit-distance.ts';
import {
  COMPARED_CHARACTERS,
  isNumber,
  isOffering,
  isOtherVersion,
  isShared,
  type ModelName,
  nameOf,
  tellsFamily,
  type Version,
} from './model-name.ts';

/* Costs that make a name less similar to another. A typo of one letter costs 1; everything else is relative to that. */
const REORDERED_PENALTY = 1.2;
const WITHIN_PENALTY = 0.5;
const WITH_MORE_BETWEEN_PENALTY = 0.8;
const OTHER_VERSION_PENALTY = 2;
const FAMILY_PENALTY = 3;
const OTHER_RELEASE_PENALTY = 0.5;
const VENDOR_BONUS = 0.1;
/** For an extra word or number in what was typed. */
const NEEDLESS_WORD_PENALTY = 1;
const NEEDLESS_OFFERING_PENALTY = 0.5;
/** For a word in place of another: `sonet` is not `opus`. */
const OTHER_WORD_PENALTY = 2;
/** For parts of a name that were not typed. */
const MORE_WORD_PENALTY = 0.3;
const MORE_SHARED_PENALTY = 0.25;
const MORE_LITTLE_PENALTY = 0.05;
const MORE_OFFERING_PENALTY = 0.004;
const MORE_VERSION_PENALTY = 0.15;
const MOST_MORE_PENALTY = 1.5;
/** Reduces the penalty for a version that was not typed, per whole version, so that the newest of equally fitting models wins. */
const NEWER_BONUS = 0.007;

/**
 * Returns the model ids that were probably meant by an unknown one, best first; empty if nothing is similar enough to help. A
 * family alone, or with a nonexistent version, suggests the newest member or the nearest version. The order of `ids` does not
 * matter. Takes a few milliseconds for 2,000 ids.
 */
export function suggestModels(wanted: string, ids: readonly string[], limit = 3): string[] {
  const spellings = spellingsOf(wanted.slice(0, COMPARED_CHARACTERS + 1).replace(/\/+$/, ''));
  const distance = new EditDistance();
  const near: { id: string; score: number }[] = [];
  for (const id of ids) {
    if (id === wanted) continue;
    const name = nameOf(id);
    let score = Number.POSITIVE_INFINITY;
    for (const { spelling, penalty } of spellings) score = Math.min(score, penalty + scoreOf(spelling, name, distance));
    if (score < Number.POSITIVE_INFINITY) near.push({ id, score });
  }
  near.sort((a, b) => a.score - b.score || a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
  return near.slice(0, limit).map(({ id }) => id);
}

/** How a name identifies its release: `-latest`, `-20241022`, `@20251001`, `-preview-06-05`, `:free`. */
const RELEASE =
  /(?:[-@:_ ](?:preview|exp|beta))?(?:[-@:_ ](?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d\d(?:\d\d)?|\d{4}|latest|preview|exp|beta|free))$/i;

/** Returns the name as written, and without a release at its end: a dated release of a model is similar to all of its others. */
function spellingsOf(wanted: string): { spelling: ModelName; penalty: number }[] {
  const texts = [{ text: wanted, penalty: 0 }];
  const undated = wanted.length > COMPARED_CHARACTERS ? wanted : wanted.replace(RELEASE, '');
  if (undated.length < wanted.length) texts.push({ text: undated, penalty: OTHER_RELEASE_PENALTY });
  return texts.flatMap(({ text, penalty }) => {
    const spelling = nameOf(text);
    return spelling.compact.length < 2 ? [] : [{ spelling, penalty }];
  });
}

/** Returns a score, lower for a more similar name; infinite if it would be no help. */
function scoreOf(wanted: ModelName, name: ModelName, distance: EditDistance): number {
  const score = Math.min(spellingScore(wanted, name, distance), wordScore(wanted, name, distance));
  return wanted.vendor !== '' && wanted.vendor === name.vendor ? score - VENDOR_BONUS : score;
}

// ---- letter by letter

/** Returns how many typos a name of this length may have and still be recognized. */
function slipsIn(length: number): number {
  if (length < 3) return 0;
  if (length < 8) return 1;
  if (length < 12) return 2;
  return Math.min(8, Math.floor(length / 4));
}

/** Returns a smaller number for a truncated name (`claude-3.5-sonet`, without the date), because many names share a prefix. */
function slipsInBeginning(length: number): number {
  return length < 8 ? 0 : Math.min(8, Math.floor(length / 6));
}

function spellingScore(wanted: ModelName, name: ModelName, distance: EditDistance): number {
  const { length } = wanted.compact;
  const slips = slipsIn(length);
  if (name.compact.length < length - slips) return Number.POSITIVE_INFINITY;
  const distances = distance.toBeginnings(wanted.compact, name.compact, slips);
  if (distances === null) return Number.POSITIVE_INFINITY;
  const allowedInBeginning = slipsInBeginning(length);
  let best = Number.POSITIVE_INFINITY;
  for (let end = Math.max(0, length - slips); end <= Math.min(name.compact.length, length + slips); end++) {
    const slipped = distances[end] ?? Number.POSITIVE_INFINITY;
    const isWhole = end === name.compact.length;
    if (slipped > (isWhole ? slips : allowedInBeginning) || slipped >= best) continue;
    best = Math.min(best, slipped + (isWhole ? 0 : restCost(wanted, name, end)));
  }
  return best === Number.POSITIVE_INFINITY ? best : best + versionGap(wanted, name);
}

/** Returns the cost of the part of the name after its first `end` letters. */
function restCost(wanted: ModelName, name: ModelName, end: number): number {
  let start = 0;
  let brokenOff = 0;
  const more: number[] = [];
  for (const [at, token] of name.tokens.entries()) {
    if (start >= end) more.push(at);
    else if (start + token.length > end) brokenOff = MORE_LITTLE_PENALTY * (start + token.length - end);
    start += token.length;
  }
  return Math.min(MOST_MORE_PENALTY, brokenOff + moreCost(wanted, name, more));
}

/** Returns the cost of the name's tokens that were not typed. */
function moreCost(wanted: ModelName, { tokens, version }: ModelName, more: readonly number[]): number {
  if (more.length === 0) return 0;
  let isLatest = false;
  let cost = 0;
  for (const at of more) {
    const token = tokens[at] ?? '';
    if (token === 'latest') isLatest = true;
    else if (at < version.start || at >= version.end) cost += wordCost(token);
  }
  return Math.min(MOST_MORE_PENALTY, isLatest ? cost : cost + moreVersionCost(wanted.version, version));
}

/** Returns the cost of a version that was not typed, or only in part. */
function moreVersionCost(wanted: Version, version: Version): number {
  const isWholeTyped = wanted.numbers.length >= Math.max(1, version.numbers.length);
  return isWholeTyped || isOtherVersion(wanted, version) ? 0 : MORE_VERSION_PENALTY - newness(version);
}

function wordCost(token: string): number {
  if (isOffering(token)) return MORE_OFFERING_PENALTY;
  if (token.length < 2 || isNumber(token)) return MORE_LITTLE_PENALTY;
  return isShared(token) ? MORE_SHARED_PENALTY : MORE_WORD_PENALTY;
}

function newness({ value }: Version): number {
  return NEWER_BONUS * Math.min(20, value);
}

/** Returns the cost of the distance between two versions; 0 if one may be the other. */
function versionGap({ version: wanted }: ModelName, { version }: ModelName): number {
  if (!isOtherVersion(wanted, version)) return 0;
  return Math.min(0.9, 0.05 + 0.15 * Math.abs(wanted.value - version.value)) - newness(version) / 10;
}

// ---- word by word

interface Match {
  /** The position in the name of each typed word; -1 if it is absent. */
  readonly places: readonly number[];
  readonly found: readonly string[];
  readonly missing: readonly string[];
  readonly slips: number;
}

/**
 * Scores names with the same words in another order, with more or fewer words or another version, and names of the same family.
 */
function wordScore(wanted: ModelName, name: ModelName, distance: EditDistance): number {
  if ((wanted.initials & name.initials) === 0) return Number.POSITIVE_INFINITY;
  const match = matchWords(wanted.tokens, name.tokens, distance);
  if (match === null) return Number.POSITIVE_INFINITY;
  const gap = versionGap(wanted, name);
  const known = gap > 0 ? otherVersionCost(match, gap) : sameVersionCost(name, match);
  if (known === Number.POSITIVE_INFINITY) return familyScore(wanted.tokens, name.tokens);
  // In another version, the same number may have a different meaning.
  const places = gap > 0 ? match.places.filter((_place, at) => !isNumber(wanted.tokens[at] ?? '')) : match.places;
  const more: number[] = [];
  for (let at = 0; at < name.tokens.length; at++) if (!match.places.includes(at)) more.push(at);
  return known + orderCost(places) + match.slips + moreCost(wanted, name, more) + otherWordCost(match, name, more);
}

/** Returns the cost if typed words are missing from the name, and it has others instead. */
function otherWordCost({ missing }: Match, { tokens }: ModelName, more: readonly number[]): number {
  const isWord = (token: string) => token.length > 1 && !isNumber(token) && !isOffering(token) && !isShared(token);
  return missing.some(isWord) && more.some((at) => isWord(tokens[at] ?? '')) ? OTHER_WORD_PENALTY : 0;
}

/** Returns an infinite cost if more than the version differs, or if nothing identifies the family. */
function otherVersionCost({ found, missing }: Match, gap: number): number {
  const isVersionOnly = missing.every((token) => isNumber(token) || token.length === 1 || isOffering(token));
  return isVersionOnly && found.some(tellsFamily) ? OTHER_VERSION_PENALTY + gap : Number.POSITIVE_INFINITY;
}

/** Returns the cost of typed words that are not in the name; infinite if the rest does not identify the model. */
function sameVersionCost({ tokens }: ModelName, { places, found, missing, slips }: Match): number {
  const isFamily = found.some(tellsFamily);
  if (missing.length === 0) {
    const hasLongWord = found.some((token) => token.length >= 4 && !isNumber(token) && !isOffering(token));
    const isClear = found.length > 1 ? hasLongWord || places[0] === 0 : isFamily || (hasLongWord && slips === 0);
    return isClear ? 0 : Number.POSITIVE_INFINITY;
  }
  if (missing.some(isNumber)) return Number.POSITIVE_INFINITY;
  const isVendorBefore = found.length > 1 && found.length === tokens.length && places.lastIndexOf(-1) < missing.length;
  const isClear = isVendorBefore || (isFamily && missing.length <= found.length);
  return isClear ? needlessCost(missing) : Number.POSITIVE_INFINITY;
}

/** Returns `null` if the two have no word in common. */
function matchWords(wanted: readonly string[], name: readonly string[], distance: EditDistance): Match | null {
  const places: number[] = [];
  const found: string[] = [];
  const missing: string[] = [];
  let slips = 0;
  for (const word of wanted) {
    let place = placeOf(word, name, places, null);
    if (place === -1) {
      place = placeOf(word, name, places, distance);
      if (place !== -1) slips++;
    }
    places.push(place);
    (place === -1 ? missing : found).push(word);
  }
  return found.length === 0 ? null : { places, found, missing, slips };
}

/** Returns the first unused position of a word, or of a similar one. */
function placeOf(word: string, name: readonly string[], taken: readonly number[], slip: EditDistance | null): number {
  for (let at = 0; at < name.length; at++) {
    const token = name[at] ?? '';
    const isSame = slip === null ? token === word : isSlip(word, token, slip);
    if (isSame && !taken.includes(at)) return at;
  }
  return -1;
}

/**
 * Returns whether one word is a typo of the other, or continues it (`elevenlabs`, `embeddings`). Short words are too often
 * similar.
 */
function isSlip(word: string, token: string, distance: EditDistance): boolean {
  if (word.charCodeAt(0) !== token.charCodeAt(0) || isNumber(word)) return false;
  if (Math.min(word.length, token.length) < 5 || Math.max(word.length, token.length) < 6) return false;
  return word.startsWith(token) || token.startsWith(word) || distance.between(word, token, 1) <= 1;
}

function orderCost(places: readonly number[]): number {
  const found = places.filter((place) => place !== -1);
  const steps = found.slice(1).map((place, at) => place - (found[at] ?? 0));
  if (steps.some((step) => step < 0)) return REORDERED_PENALTY;
  return steps.every((step) => step === 1) ? WITHIN_PENALTY : WITH_MORE_BETWEEN_PENALTY;
}

function needlessCost(words: readonly string[]): number {
  let cost = 0;
  for (const word of words) cost += isOffering(word) ? NEEDLESS_OFFERING_PENALTY : NEEDLESS_WORD_PENALTY;
  return cost;
}

function familyScore(wanted: readonly string[], name: readonly string[]): number {
  let shared = 0;
  while (shared < wanted.length && wanted[shared] === name[shared]) shared++;
  if (shared < 2 || shared * 2 < wanted.length) return Number.POSITIVE_INFINITY;
  return FAMILY_PENALTY + (wanted.length - shared) + 0.1 * (name.length - shared);
}
