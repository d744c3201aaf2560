import type { EmbeddedTexts } from './embedding-thread.worker.ts';

export interface Embeddings {
  readonly kind: 'embedded';
  /** In the order of the texts. */
  readonly vectors: readonly Float32Array<ArrayBuffer>[];
  readonly tokens: number;
}

export type EmbeddingProblem =
  /** `isOwn`: the owner's own requests are waiting, not those of others. */
  | { readonly kind: 'busy'; readonly isOwn: boolean; readonly retryAfterS: number }
  | { readonly kind: 'too_long'; readonly index: number; readonly tokens: number; readonly mostTokens: number }
  /** The time limit has passed. */
  | { readonly kind: 'late' }
  /** The client has disconnected. */
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly why: string };

/** The most characters of the texts in one piece, unless a single text is longer: about a tenth of a second. */
const PIECE_CHARACTERS = 1_024;
/** The least cost of a text: however short it is, it takes as much time as one of this many characters. */
const LEAST_COST = 64;

/** The texts of one request, which are embedded piece by piece. */
export class EmbeddingJob {
  readonly result: Promise<Embeddings | EmbeddingProblem>;
  /** The total in characters, to which the time is proportional. */
  readonly cost: number;
  isOver = false;
  private readonly resolve: (result: Embeddings | EmbeddingProblem) => void;
  private readonly vectors: Float32Array<ArrayBuffer>[] = [];
  private asked = 0;
  private tokens = 0;

  constructor(private readonly texts: readonly string[]) {
    ({ promise: this.result, resolve: this.resolve } = Promise.withResolvers<Embeddings | EmbeddingProblem>());
    this.cost = texts.reduce((sum, { length }) => sum + Math.max(LEAST_COST, length), 0);
  }

  /** Returns the texts that follow those already embedded. */
  nextTexts(): readonly string[] {
    const start = this.vectors.length;
    let end = start;
    let characters = 0;
    do characters += Math.max(LEAST_COST, this.texts[end++]?.length ?? 0);
    while (
      end < this.texts.length &&
      characters + Math.max(LEAST_COST, this.texts[end]?.length ?? 0) <= PIECE_CHARACTERS
    );
    this.asked = end - start;
    return this.texts.slice(start, end);
  }

  /** Takes the result for the texts that `nextTexts` returned. */
  answered(answer: EmbeddedTexts): void {
    if (answer.kind !== 'embedded') {
      this.end(answer.kind === 'failed' ? answer : { ...answer, index: this.vectors.length + answer.index });
      return;
    }
    const length = answer.vectors.length / this.asked;
    for (let text = 0; text < this.asked; text++)
      this.vectors.push(answer.vectors.slice(text * length, (text + 1) * length));
    this.tokens += answer.tokens;
    if (this.vectors.length < this.texts.length) return;
    this.end({ kind: 'embedded', vectors: this.vectors, tokens: this.tokens });
  }

  end(result: Embeddings | EmbeddingProblem): void {
    this.isOver = true;
    this.resolve(result);
  }
}
