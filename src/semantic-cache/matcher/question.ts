import common from './common-words.json';
import { type Facts, isCurrency, readFacts } from './facts.ts';
import { type Frame, readFrame } from './frame.ts';
import { stemOf } from './stem.ts';
import { type Token, tokensOf } from './tokens.ts';
import { ARTICLES, FOREIGN_WORDS, FUNCTION_WORDS, NEGATORS, PREPOSITIONS } from './words.ts';

/** The position of a content word, and the preposition that introduces it. */
interface Place {
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

const WORDS = `india china pakistan bangladesh nepal japan korea vietnam thailand singapore malaysia indonesia philippines iran iraq
israel turkey egypt nigeria kenya africa europe asia russia ukraine poland germany france spain portugal italy greece austria
switzerland netherlands belgium sweden norway denmark finland ireland scotland uk usa canada mexico brazil argentina chile colombia
australia mumbai delhi bangalore bengaluru chennai hyderabad kolkata pune london paris berlin madrid rome moscow tokyo beijing
shanghai dubai sydney melbourne toronto boston chicago california texas florida seattle
english hindi french german spanish chinese japanese korean arabic portuguese latin urdu tamil telugu punjabi marathi
google facebook twitter instagram whatsapp snapchat youtube amazon flipkart apple microsoft netflix quora reddit linkedin tinder uber
paypal gmail yahoo wikipedia samsung nokia huawei xiaomi iphone ipad macbook android ios windows linux ubuntu
python java javascript typescript php ruby rust golang kotlin swift scala perl haskell matlab html css sql mysql postgresql mongodb
redis docker kubernetes react angular vue django flask rails laravel wordpress excel photoshop git github
trump hillary obama modi putin gandhi nehru hitler stalin jesus buddha muhammad einstein newton messi ronaldo`;

/** Stems of names that people also write without a capital. None can replace another. */
const NAMES: ReadonlySet<string> = new Set(WORDS.split(/\s+/).map((word) => stemOf(word)));

/**
 * Words that are hardly ever capitalized within a sentence (`src/semantic-cache/training/common-words.ts`): a capital does not make them
 * names.
 */
const COMMON_WORDS: ReadonlySet<string> = new Set(common.split(' '));

const POLITE = new Set(['please', 'thanks', 'hello', 'hi', 'hey', 'kindly']);
const WH = new Set(['what', 'which', 'who', 'whom', 'where', 'when', 'why', 'how']);
const VERBS = new Set(['is', 'are', 'was', 'were', 'will', 'would', 'has', 'have', 'can', 'should', 'makes', 'caused']);

/** Removes words addressed to the answerer: `please`, `can you tell me`, the opinion in `who do you think will win`. */
function withoutPoliteness(tokens: readonly Token[]): readonly Token[] {
  const kept = tokens.filter(({ word }) => !POLITE.has(word));
  const words = kept.map(({ word }) => word);
  const asked = words.findIndex((word) => WH.has(word));
  const isOpening =
    asked > 0 &&
    asked <= 5 &&
    /^(?:can|could|would|will) you (?:tell|explain)(?: to)?(?: me)?$/.test(words.slice(0, asked).join(' '));
  const rest = isOpening ? kept.slice(asked) : kept;
  const at = rest.findIndex(
    ({ word }, index) =>
      WH.has(word) &&
      rest[index + 1]?.word === 'do' &&
      rest[index + 2]?.word === 'you' &&
      rest[index + 3]?.word === 'think' &&
      VERBS.has(rest[index + 4]?.word ?? ''),
  );
  return at < 0 ? rest : rest.toSpliced(at + 1, 3);
}

/** The topics of a text, as keys for counting. */
interface Topics {
  readonly words: readonly string[];
  /** Pairs of consecutive content words. */
  readonly neighbours: readonly string[];
  /** Pairs of any two words. */
  readonly pairs: readonly string[];
}

/** With more words no pairs are made, since their number grows quadratically. */
const MOST_PAIRED_WORDS = 13;

function topicsOf(tokens: readonly Token[]): Topics {
  const stems = tokens.flatMap(({ stem, isContent }) => (isContent ? [stem] : []));
  const words = [...new Set(stems)];
  const neighbours = stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`);
  return { words, neighbours: [...new Set(neighbours)], pairs: pairsOf(words) };
}

function pairsOf(words: readonly string[]): readonly string[] {
  if (words.length > MOST_PAIRED_WORDS) return [];
  const sorted = words.toSorted();
  return sorted.flatMap((first, at) => sorted.slice(at + 1).map((second) => `&${first} ${second}`));
}
