import { type Facts, isCurrency, readFacts } from './facts.ts';
import { type Frame, readFrame } from './frame.ts';
import { COMMON_WORDS, NAMES } from './names.ts';
import { withoutPoliteness } from './politeness.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Topics, topicsOf } from './topics.ts';
import { ARTICLES, FOREIGN_WORDS, FUNCTION_WORDS, NEGATORS, PREPOSITIONS } from './words.ts';

/** Where a word stands that means something, and what leads it in. */
export interface Place {
  readonly stem: string;
  readonly at: number;
  /** The preposition before it, with articles and the like between; else empty. */
  readonly role: string;
}

/** A text as the cache compares it with others. Made once, by `readQuestion`. */
export interface Question {
  /** Two texts with the same identity are the same but for white space. */
  readonly identity: string;
  /** Two questions with the same key differ in case, punctuation, contractions, articles and spelling at most. */
  readonly key: string;
  /** English, of a few words and no code: what a model of questions may be asked about. Others have nothing else than an identity. */
  readonly isPlain: boolean;
  /** More than a question: none of its sentences may differ. */
  readonly isLong: boolean;
  readonly lower: string;
  readonly tokens: readonly Token[];
  readonly stems: ReadonlySet<string>;
  /** Stems of the words that mean something, each once, in their order. */
  readonly content: readonly string[];
  /** Stems of names. */
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly placeOf: ReadonlyMap<string, Place>;
  readonly topics: Topics;
  readonly facts: Facts;
  readonly frame: Frame;
}

/** Longer texts are not analysed. */
const MOST_CHARACTERS = 1_000;
/** A question has seldom more. */
const MOST_QUESTION_TOKENS = 60;
const MOST_SENTENCES = 4;

export function readQuestion(text: string): Question {
  const identity = identityOf(text);
  const isShort = identity.length <= MOST_CHARACTERS;
  const normal = isShort ? straightened(identity) : '';
  const tokens = withoutPoliteness(tokensOf(normal));
  const places = placesOf(tokens);
  return {
    identity,
    key: keyOf(tokens),
    isPlain: isShort && !identity.includes('\n') && isEnglish(tokens) && !normal.includes('```'),
    isLong: tokens.length > MOST_QUESTION_TOKENS || tokens.filter(({ isFirst }) => isFirst).length > MOST_SENTENCES,
    lower: normal.toLowerCase(),
    tokens,
    stems: new Set(tokens.map(({ stem }) => stem)),
    content: [...new Set(tokens.flatMap(({ stem, isContent }) => (isContent ? [stem] : [])))],
    names: tokens.flatMap((token) => (isName(token) ? [token.stem] : [])),
    places,
    placeOf: new Map(places.map((place) => [place.stem, place])),
    topics: topicsOf(tokens),
    facts: readFacts(normal, tokens),
    frame: readFrame(tokens),
  };
}

/** Currencies are facts of their own, and often written with a capital. */
function isName({ stem, word, isCapital, isContent }: Token): boolean {
  if (!isContent || isCurrency(stem) || isCurrency(word)) return false;
  return NAMES.has(stem) || (isCapital && !COMMON_WORDS.has(word));
}

/** Lines stay as they are but for their ends: in code the spaces before them count. */
function identityOf(text: string): string {
  const normal = text.normalize('NFKC').trim();
  if (!normal.includes('\n')) return normal.replace(/\s+/g, ' ');
  return normal
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function straightened(text: string): string {
  return text
    .replace(/[‘’ʼ´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/"{2,}|'{2,}/g, '"');
}

function keyOf(tokens: readonly Token[]): string {
  return tokens
    .filter(({ word }) => !ARTICLES.has(word))
    .map(({ word }) => word)
    .join(' ');
}

/** Of at least three words, one of which holds an English sentence together, and of no other language. */
function isEnglish(tokens: readonly Token[]): boolean {
  let [english, foreign, ascii, words] = [0, 0, 0, 0];
  for (const { word, kind } of tokens) {
    if (kind !== 'word') continue;
    words++;
    if (FUNCTION_WORDS.has(word)) english++;
    else if (FOREIGN_WORDS.has(word)) foreign++;
    if (/^[a-z\d'&+#.]+$/.test(word)) ascii++;
  }
  return words >= 2 && english > foreign && english * 8 >= words && ascii >= words - 1;
}

/** Of words that stand once. */
function placesOf(tokens: readonly Token[]): readonly Place[] {
  const places = new Map<string, Place | null>();
  let role = '';
  for (const [at, { word, stem, isContent }] of tokens.entries()) {
    if (PREPOSITIONS.has(word)) role = word;
    else if (isContent) {
      places.set(stem, places.has(stem) ? null : { stem, at, role });
      role = '';
    } else if (NEGATORS.has(word)) role = '';
  }
  return [...places.values()].filter((place) => place !== null);
}
