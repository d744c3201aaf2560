/**
 * The byte-pair merge is quadratic in the length of a run without space: a million `a` take minutes. Cut at spaces every
 * 2,000 characters, else every 512, a megabyte of anything takes under 0.1 s, and a cut costs at most one token too many.
 */
const PIECES = /.{1,2000}(?=\s)|.{1,512}/gsu;

/** Text that looks like a control token (`<|endoftext|>`) is counted as the text it is; the default is to throw. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

let loading: Promise<Encoding> | undefined;

/** Counts and cuts by the tokens of o200k_base. Its table is 2 MB and takes 0.3 s to build: loaded at first use. */
export class Tokenizer {
  readonly #encoding: Encoding;

  private constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  static async load(): Promise<Tokenizer> {
    loading ??= import('gpt-tokenizer/encoding/o200k_base');
    return new Tokenizer(await loading);
  }

  count(text: string): number {
    let tokens = 0;
    for (const [piece] of text.matchAll(PIECES)) tokens += this.#encoding.countTokens(piece, PLAIN_TEXT);
    return tokens;
  }

  /** The text's beginning of at most so many tokens, and how many it has. */
  cut(text: string, limit: number): { text: string; tokens: number; whole: boolean } {
    const tokens: number[] = [];
    for (const [piece] of text.matchAll(PIECES)) tokens.push(...this.#encoding.encode(piece, PLAIN_TEXT));
    if (tokens.length <= limit) return { text, tokens: tokens.length, whole: true };
    const beginning = this.#encoding.decode(tokens.slice(0, limit));
    // A character may have several tokens. The library keeps the bytes of an unfinished one for its next answer, whosever
    // that is: let it finish.
    this.#encoding.decode(tokens.slice(limit));
    return { text: beginning, tokens: limit, whole: false };
  }
}
