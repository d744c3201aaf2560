/* The canonical form of embedding requests and answers, to and from which every embeddings wire converts. */

/** `base64`: the vector's numbers as little-endian IEEE float32, concatenated. */
export type EmbeddingEncoding = 'float' | 'base64';

/** At least one input, all of one kind, none of them empty. */
export type EmbeddingInputs =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  /** Token ids of the model's tokenizer. */
  | { readonly kind: 'tokens'; readonly lists: readonly (readonly number[])[] };

export interface EmbeddingRequest {
  /** The public id of the model. */
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** The encoding that the client wants, whichever encoding the upstream uses. */
  readonly encoding: EmbeddingEncoding;
  /** The requested length of the vectors; `null` for the model's default. */
  readonly dimensions: number | null;
  /** The client's name for its end user. */
  readonly user: string | null;
  /**
   * The client's original bytes. An upstream that speaks the same format gets these bytes, with its own name for the model and
   * without the gateway's own members.
   */
  readonly bytes: Uint8Array;
  /** The same body as a value, including members that only some upstreams know, without the gateway's own members. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The purpose of embedding a text: models that support it place a query near its documents, and not near other queries. */
export const INPUT_TYPES = [
  'query',
  'document',
  'classification',
  'clustering',
  'similarity',
  'question_answering',
  'fact_verification',
  'code_query',
] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** All numbers are finite. */
export type EmbeddingVector = readonly number[] | Float32Array;

export interface EmbeddingAnswer {
  /** One vector for each input, in the order of the inputs, all of the same length. */
  readonly vectors: readonly EmbeddingVector[];
  /** The tokens of all inputs together, as counted by the upstream; `null` if it does not report them. */
  readonly tokens: number | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** Whether the upstream's vectors have members that this form does not hold. */
  readonly hasMore?: boolean;
}

export function countOfInputs(inputs: EmbeddingInputs): number {
  return inputs.kind === 'texts' ? inputs.texts.length : inputs.lists.length;
}

/** The limits of one request; absent if unlimited. */
export interface EmbeddingBounds {
  /** At least 1. */
  readonly mostInputs?: number;
  /** The limit for all inputs together. An input that exceeds it by itself is sent alone. */
  readonly mostTokens?: number;
}

/** Splits the inputs, in order, into lists within the limits: a single list if possible. */
export function splitInputs(inputs: EmbeddingInputs, bounds: EmbeddingBounds): readonly EmbeddingInputs[] {
  const { mostInputs = Number.POSITIVE_INFINITY } = bounds;
  const mostTokens = bounds.mostTokens !== undefined && mayExceed(inputs, bounds.mostTokens) ? bounds.mostTokens : null;
  const count = countOfInputs(inputs);
  if (count <= mostInputs && mostTokens === null) return [inputs];
  const parts: EmbeddingInputs[] = [];
  let start = 0;
  let tokens = 0;
  for (let at = 0; at < count; at++) {
    const own = mostTokens === null ? 0 : tokensOf(inputs, at);
    const isFull = at - start >= mostInputs || (mostTokens !== null && tokens + own > mostTokens);
    if (at > start && isFull) {
      parts.push(sliced(inputs, start, at));
      start = at;
      tokens = 0;
    }
    tokens += own;
  }
  parts.push(sliced(inputs, start, count));
  return parts;
}

function sliced(inputs: EmbeddingInputs, start: number, end: number): EmbeddingInputs {
  return inputs.kind === 'texts'
    ? { kind: 'texts', texts: inputs.texts.slice(start, end) }
    : { kind: 'tokens', lists: inputs.lists.slice(start, end) };
}

/** Special tokens that tokenizers add around each input. */
const TOKENS_AROUND_INPUT = 4;
/** UTF-8 has at most three bytes per UTF-16 unit, and a text never has more tokens than bytes. */
const BYTES_PER_UNIT = 3;

/**
 * Returns whether the inputs may have more than this many tokens. Does not count tokens, because most requests are far below
 * every limit.
 */
function mayExceed(inputs: EmbeddingInputs, most: number): boolean {
  const each = inputs.kind === 'texts' ? BYTES_PER_UNIT : 1;
  const lists = inputs.kind === 'texts' ? inputs.texts : inputs.lists;
  let sum = 0;
  for (const { length } of lists) sum += each * length + TOKENS_AROUND_INPUT;
  return sum > most;
}

function tokensOf(inputs: EmbeddingInputs, at: number): number {
  const own = inputs.kind === 'texts' ? likelyMostTokens(inputs.texts[at] ?? '') : (inputs.lists[at]?.length ?? 0);
  return own + TOKENS_AROUND_INPUT;
}

/**
 * Returns more tokens than nearly every tokenizer would produce. Prose in any language has at least two bytes per token, and many
 * vocabularies have a token for each digit (Gemini, Llama 2, Mistral).
 */
function likelyMostTokens(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let digits = 0;
  for (const byte of bytes) if (byte >= 0x30 && byte <= 0x39) digits++;
  return digits + Math.ceil((bytes.length - digits) / 2);
}

/** Returns a copy with length 1; `null` for a vector without a direction (all zeros), or with a value that is not finite. */
export function unitVector(vector: EmbeddingVector): Float32Array<ArrayBuffer> | null {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null;
  const unit = new Float32Array(vector.length);
  for (const [at, number] of vector.entries()) unit[at] = number / length;
  return unit;
}
