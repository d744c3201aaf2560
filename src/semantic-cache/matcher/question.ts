import { type Facts, isCurrency, readFacts } from './facts.ts';
import { type Frame, readFrame } from './frame.ts';
import { COMMON_WORDS, NAMES } from './names.ts';
import { withoutPoliteness } from './politeness.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Topics, topicsOf } from './topics.ts';
import { ARTICLES, FOREIGN_WORDS, FUNCTION_WORDS, NEGATORS, PREPOSITIONS } from './words.ts';

/** The position of a content word, and the preposition that introduces it. */
export interface Place {
  readonly stem: string;
  readonly at: number;
  /** The preposition before it, skipping articles and the like; otherwise empty. */
  readonly role: string;
}

/** A text prepared for comparison. Made once, by `readQuestion`. */
export interface Question {
  /** Texts with the same identity differ at most in white space. */
  readonly identity: string;
  /** Questions with the same key differ at most in case, punctuation, contractions, articles and spelling. */
  readonly key: string;
  /** Whether the text is English, of a few words and no code, so that the model applies. Other texts have only an identity. */
  readonly isPlain: boolean;
  /** Whether the text is longer than a question, so that all its sentences must be equal. */
  readonly isLong: boolean;
  readonly lower: string;
  readonly tokens: readonly Token[];
  readonly stems: ReadonlySet<string>;
  /** The distinct stems of content words, in order. */
  readonly content: readonly string[];
  /** The stems of names. */
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly placeOf: ReadonlyMap<string, Place>;
  readonly topics: Topics;
  readonly facts: Facts;
  readonly frame: Frame;
}

/** Longer texts are not analysed. */
const MOST_CHARACTERS = 1_000;
/** Questions rarely have more. */
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

/** Returns whether a token is a name. Currencies are facts of their own, although often capitalized. */
function isName({ stem, word, isCapital, isContent }: Token): boolean {
  if (!isContent || isCurrency(stem) || isCurrency(word)) return false;
  return NAMES.has(stem) || (isCapital && !COMMON_WORDS.has(word));
}

/** Normalizes white space; within several lines only trailing space, since leading space matters in code. */
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

/** Returns whether a text is English: at least three words, among them a function word, and no sign of another language. */
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

/** Returns the places of words that occur once. */
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
