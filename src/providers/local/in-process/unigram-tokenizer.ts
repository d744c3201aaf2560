/** Pieces of text with the logarithms of their probabilities; a piece's index is its id. */
export type Vocabulary = readonly (readonly [piece: string, score: number])[];

/** Stands for a space, including one before the first word. */
const SPACE = '\u2581';
/** The first ids belong to special tokens that occur in no text. */
const MARKS = 6;
const UNKNOWN = 0;
/** How much less likely an unknown character is than the least likely piece, as in SentencePiece. */
const UNKNOWN_PENALTY = 10;

/**
 * Splits text into the most likely sequence of pieces, like SentencePiece's unigram models. The time is proportional to the
 * length of the text.
 */
export class UnigramTokenizer {
  private readonly pieces = new Map<string, { readonly id: number; readonly score: number }>();
  /** All prefixes of pieces. */
  private readonly beginnings = new Set<string>();
  private readonly unknownScore: number;

  constructor(vocabulary: Vocabulary) {
    let least = 0;
    for (const [id, [piece, score]] of vocabulary.entries()) {
      if (id < MARKS) continue;
      this.pieces.set(piece, { id, score });
      least = Math.min(least, score);
      let beginning = '';
      for (const symbol of piece) {
        beginning += symbol;
        this.beginnings.add(beginning);
      }
    }
    this.unknownScore = least - UNKNOWN_PENALTY;
  }

  /** Returns the ids of the pieces, at least one. Consecutive characters that are in no piece form one unknown piece. */
  encode(text: string): number[] {
    const symbols = [...normalized(text)];
    const { ids, lengths } = this.bestPieces(symbols);
    const backwards: number[] = [];
    for (let end = symbols.length; end > 0; end -= lengths[end] ?? 1) {
      const id = ids[end] ?? UNKNOWN;
      if (id !== UNKNOWN || backwards.at(-1) !== UNKNOWN) backwards.push(id);
    }
    return backwards.reverse();
  }

  /** Returns, for each end, the last piece of the most likely sequence up to it, and that piece's length. */
  private bestPieces(symbols: readonly string[]) {
    const scores = new Float64Array(symbols.length + 1).fill(Number.NEGATIVE_INFINITY);
    const ids = new Int32Array(symbols.length + 1);
    const lengths = new Int32Array(symbols.length + 1);
    scores[0] = 0;
    for (let start = 0; start < symbols.length; start++) {
      const before = scores[start] ?? 0;
      const offer = (end: number, id: number, score: number) => {
        if (before + score < (scores[end] ?? 0)) return;
        scores[end] = before + score;
        ids[end] = id;
        lengths[end] = end - start;
      };
      let text = symbols[start] ?? '';
      if (!this.pieces.has(text)) offer(start + 1, UNKNOWN, this.unknownScore);
      for (let end = start + 1; this.beginnings.has(text); text += symbols[end++]) {
        const piece = this.pieces.get(text);
        if (piece !== undefined) offer(end, piece.id, piece.score);
        if (end === symbols.length) break;
      }
    }
    return { ids, lengths };
  }
}

/** Collapses white space of any kind to one space, as when the vocabulary was made. */
function normalized(text: string): string {
  const words = text
    .normalize('NFKC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return SPACE + words.replaceAll(' ', SPACE);
}
