import { readNumber } from './numbers.ts';
import { stemOf } from './stem.ts';
import { BARE_CONTRACTIONS, BEFORE_IS, COMPOUNDS, FUNCTION_WORDS, SPELLINGS } from './words.ts';

export interface Token {
  /** The word in lower case; a number in the form of `readNumber`. */
  readonly word: string;
  /** See `stemOf`; for a number `#` and its value. */
  readonly stem: string;
  readonly kind: 'word' | 'number' | 'symbol';
  /** Whether it is written like a name: capitalized within a sentence, or with an inner capital. */
  readonly isCapital: boolean;
  /** Whether it carries meaning, rather than only grammar. */
  readonly isContent: boolean;
  /** Whether it begins a sentence. */
  readonly isFirst: boolean;
}

/** A piece of the text as written. */
interface Piece {
  readonly text: string;
  readonly startsSentence: boolean;
}

/** Matches numbers; words, including the dots of `U.S.` and the signs of `C++`; and single signs. */
const PIECE =
  /(?<![\p{L}\d)])-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*|\p{L}[\p{L}\p{M}]*(?:['.&]\p{L}+)*(?:\d+\b)?[+#]*|[^\s\p{L}\d]/gu;
/** Suffixes that are separate from the number before them: `10kg`, `5k`, `2nd`. Others, as in `4o` or `3D`, form a name with it. */
const AFTER_NUMBER = new Set(
  'k m g l h s v w x c f b kg km cm mm mg ml gb mb tb kb lb oz ft in hr am pm st nd rd th bn mn cr rs yo'.split(' '),
);
const MOST_GLUED_LETTERS = 2;
const SENTENCE_END = new Set(['.', '?', '!', ':', ';']);
/** Signs without a meaning. A hyphen joins words as a space does. */
const PUNCTUATION = new Set([...`.,;:?!'"()[]…-–—_/“”‘’*`, '\u200b', '\ufeff', '\u00ad', '\ufe0f']);

/** Splits a text into tokens. The text must be in NFKC, with straight quotation marks. */
export function tokensOf(text: string): readonly Token[] {
  const pieces = piecesOf(text);
  const capitals = pieces.filter((piece) => isCapital(piece.text)).length;
  const letters = pieces.filter((piece) => /^\p{L}/u.test(piece.text)).length;
  // In a text all in capitals, or With Each Word Capitalized, capitals do not mark names.
  const marksNames = letters < 4 || capitals <= 0.7 * letters;
  const words: string[] = [];
  const from: Piece[] = [];
  for (const piece of pieces) {
    for (const word of wordsOf(piece.text)) {
      words.push(word);
      from.push(piece);
    }
  }
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const piece = from[at] ?? { text: '', startsSentence: false };
    const isNamed = marksNames
      ? isCapital(piece.text) && (!piece.startsSentence || hasInnerCapital(piece.text))
      : false;
    const isFirst = piece.startsSentence && from[at - 1] !== piece;
    at += readToken(words, at, isNamed, isFirst, tokens);
  }
  return tokens;
}

/** Appends the next token, and returns how many words it spans. */
function readToken(words: readonly string[], at: number, isNamed: boolean, isFirst: boolean, into: Token[]): number {
  const word = words[at] ?? '';
  const number = readNumber(words, at);
  if (number !== null) {
    const { value } = number;
    into.push({ word: value, stem: `#${value}`, kind: 'number', isCapital: false, isContent: true, isFirst });
    return number.words;
  }
  const compound = COMPOUNDS.get(`${word} ${words[at + 1] ?? ''}`);
  for (const part of compound?.split(' ') ?? [word]) {
    const isSign = !/^[\p{L}\d]/u.test(part);
    if (isSign && PUNCTUATION.has(part)) continue;
    const spelt = SPELLINGS.get(part) ?? part;
    into.push({
      word: spelt,
      stem: stemOf(spelt),
      kind: isSign ? 'symbol' : 'word',
      isCapital: isNamed,
      isContent: !isSign && !FUNCTION_WORDS.has(spelt),
      isFirst,
    });
  }
  return compound === undefined ? 1 : 2;
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let starts = true;
  let end = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const last = pieces.at(-1);
    const isGlued = index === end && piece.length <= MOST_GLUED_LETTERS && /\d$/.test(last?.text ?? '');
    end = index + piece.length;
    if (isGlued && /^\p{L}/u.test(piece) && !AFTER_NUMBER.has(piece.toLowerCase())) {
      pieces.splice(-1, 1, { text: `${last?.text}${piece}`, startsSentence: last?.startsSentence ?? false });
      continue;
    }
    const isSign = !/^-?[\p{L}\d]/u.test(piece);
    pieces.push({ text: piece, startsSentence: starts && !isSign });
    if (isSign) starts = starts || SENTENCE_END.has(piece);
    else starts = false;
  }
  return pieces;
}

function isCapital(piece: string): boolean {
  return /^\p{Lu}/u.test(piece) ? piece !== 'I' && !piece.startsWith("I'") : hasInnerCapital(piece);
}

/** Detects `iPhone`, `NASA`, `GPT4`: names wherever they stand. */
function hasInnerCapital(piece: string): boolean {
  return /^.\p{L}*\p{Lu}/u.test(piece) || /^\p{Lu}\p{L}*\d/u.test(piece);
}

/** Splits a piece into words, with contractions written out. */
function wordsOf(piece: string): readonly string[] {
  const word = piece.toLowerCase();
  if (word.includes('.') && /^\p{L}/u.test(word)) return splitAtDots(word);
  const at = word.indexOf("'");
  if (at <= 0 || word.length === 1) return BARE_CONTRACTIONS.get(word) ?? [word];
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  if (after === 't' && before.endsWith('n')) return negated(before);
  if (after === 's') return BEFORE_IS.has(before) ? [before, 'is'] : [before];
  if (after === 're') return [before, 'are'];
  if (after === 've') return [before, 'have'];
  if (after === 'll') return [before, 'will'];
  if (after === 'd') return [before, 'would'];
  if (after === 'm') return [before, 'am'];
  return [before, after];
}

function negated(before: string): readonly string[] {
  if (before === 'can') return ['can', 'not'];
  if (before === 'won') return ['will', 'not'];
  return [before.slice(0, -1), 'not'];
}

/** `U.S.A` and `B.Tech` are one word; `death.What` lacks a space. */
function splitAtDots(word: string): readonly string[] {
  const parts = word.split('.');
  if (parts.some((part) => part.length === 1)) return [parts.join('')];
  return parts.flatMap((part) => wordsOf(part));
}
