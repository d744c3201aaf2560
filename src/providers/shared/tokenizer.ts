import file from 'gpt-tokenizer/data/o200k_base.tiktoken' with { type: 'file' };
import { BytePairs } from './byte-pairs.ts';
import { TokenTable } from './token-table.ts';

/**
 * Longer texts are cut at spaces every 2,000 characters, otherwise every 512, to bound the work at once; a cut costs at most one
 * extra token.
 */
const PIECES = /.{1,2000}(?=\s|$)|.{1,512}/gsu;

/**
 * The units that o200k_base encodes separately: a word with its prefix, up to three digits, other signs, or spaces (tiktoken,
 * `o200k_base`).
 */
const WORDS = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

const encoder = new TextEncoder();

let loading: Promise<() => TokenTable> | undefined;

/**
 * Counts and cuts text by the tokens of o200k_base. Text that looks like a control token (`<|endoftext|>`) is ordinary text.
 * `load` reads the file; the table is built from it, in 0.1 s, for the first text, because many gateways never count one.
 */
export class Tokenizer {
  readonly #table: () => TokenTable;
  #made: BytePairs | undefined;

  private constructor(table: () => TokenTable) {
    this.#table = table;
  }

  static async load(): Promise<Tokenizer> {
    loading ??= Bun.file(file).bytes().then(madeOnce);
    return new Tokenizer(await loading);
  }

  count(text: string): number {
    let tokens = 0;
    for (const { word } of wordsOf(text)) tokens += this.#merge(word);
    return tokens;
  }

  /**
   * Returns the beginning of the text with at most `limit` tokens, and its token count. Excludes a character whose tokens are
   * incomplete.
   */
  cut(text: string, limit: number): { text: string; tokens: number; whole: boolean } {
    let tokens = 0;
    for (const { word, at } of wordsOf(text)) {
      const ofWord = this.#merge(word);
      if (tokens + ofWord > limit) {
        const bytes = this.#bytesOf(limit - tokens);
        return { text: text.slice(0, at) + beginning(word, bytes), tokens: limit, whole: false };
      }
      tokens += ofWord;
    }
    return { text, tokens, whole: true };
  }

  get #pairs(): BytePairs {
    this.#made ??= new BytePairs(this.#table());
    return this.#made;
  }

  #merge(word: string): number {
    const pairs = this.#pairs;
    return pairs.merge(encoder.encodeInto(word, pairs.bytes).written);
  }

  /** Returns the length of the first tokens of the word that was merged last. */
  #bytesOf(tokens: number): number {
    const { next } = this.#pairs;
    let end = 0;
    for (let count = 0; count < tokens; count++) end = next[end] ?? end;
    return end;
  }
}

function madeOnce(bytes: Uint8Array): () => TokenTable {
  let table: TokenTable | undefined;
  return () => {
    table ??= new TokenTable(bytes);
    return table;
  };
}

function* wordsOf(text: string): Iterable<{ readonly word: string; readonly at: number }> {
  for (const { 0: piece, index: start } of text.matchAll(PIECES)) {
    for (const { 0: word, index } of piece.matchAll(WORDS)) yield { word, at: start + index };
  }
}

/** Returns the characters that fit completely into this many bytes. */
function beginning(word: string, bytes: number): string {
  let left = bytes;
  let end = 0;
  for (const character of word) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    end += character.length;
  }
  return word.slice(0, end);
}
