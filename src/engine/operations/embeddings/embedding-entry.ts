import type { EmbeddingAnswer, EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';
import type { Steps } from '../../../formats/shared/request/steps.ts';
import type { AnswerCodec } from '../../cache/whole-answers.ts';

/** An answer, and its charged tokens: reported, or counted if `answer.tokens` is `null`. */
export interface CountedEmbeddings {
  readonly answer: EmbeddingAnswer;
  readonly tokens: number;
}

/** The JSON text before the numbers. */
interface Head {
  readonly reportedTokens: number | null;
  readonly tokens: number;
  readonly model: string | null;
  readonly vectors: number;
  /** The length of each vector. */
  readonly length: number;
  readonly isDouble: boolean;
}

const FLOAT_BYTES = 4;
const DOUBLE_BYTES = 8;
const LINE_END = 0x0a;

const utf8 = new TextEncoder();

/**
 * Encodes a line of JSON and then all numbers: as float32 if that loses nothing, else as float64, so that exactly the same numbers are
 * decoded. Little-endian, as all supported machines are.
 */
export const EMBEDDING_ENTRY: AnswerCodec<CountedEmbeddings> = {
  fits: ({ answer }) => answer.hasMore !== true,
  sizeOf: ({ answer: { vectors } }) => vectors.length * (vectors[0]?.length ?? 0) * FLOAT_BYTES,
  encode,
  decode,
};

function* encode({ answer, tokens }: CountedEmbeddings): Steps<Uint8Array<ArrayBuffer>> {
  const { vectors, model } = answer;
  const length = vectors[0]?.length ?? 0;
  let isDouble = false;
  for (const vector of vectors) {
    yield;
    if (!areFloats(vector)) isDouble = true;
    if (isDouble) break;
  }
  const head: Head = { reportedTokens: answer.tokens, tokens, model, vectors: vectors.length, length, isDouble };
  const text = JSON.stringify(head);
  const headBytes = utf8.encode(text).length + 1;
  // Aligns the numbers to their size.
  const padding = (DOUBLE_BYTES - (headBytes % DOUBLE_BYTES)) % DOUBLE_BYTES;
  const line = utf8.encode(`${text}${' '.repeat(padding)}\n`);
  const count = vectors.length * length;
  const bytes = new Uint8Array(line.length + count * (isDouble ? DOUBLE_BYTES : FLOAT_BYTES));
  bytes.set(line);
  const numbers = isDouble ? new Float64Array(bytes.buffer, line.length) : new Float32Array(bytes.buffer, line.length);
  for (const [index, vector] of vectors.entries()) {
    yield;
    numbers.set(vector, index * length);
  }
  return bytes;
}

function* decode(bytes: Uint8Array): Steps<CountedEmbeddings> {
  let at = bytes.indexOf(LINE_END) + 1;
  // Written by `encode`.
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)));
  const { reportedTokens, tokens, model, length, isDouble } = head;
  const vectorBytes = length * (isDouble ? DOUBLE_BYTES : FLOAT_BYTES);
  const vectors: EmbeddingVector[] = [];
  while (vectors.length < head.vectors) {
    yield;
    // A copy, which is aligned to the size of the numbers.
    const { buffer } = bytes.slice(at, at + vectorBytes);
    vectors.push(isDouble ? Array.from(new Float64Array(buffer)) : new Float32Array(buffer));
    at += vectorBytes;
  }
  return { answer: { vectors, tokens: reportedTokens, model }, tokens };
}

function areFloats(vector: EmbeddingVector): boolean {
  if (vector instanceof Float32Array) return true;
  for (let at = 0; at < vector.length; at++) if (Math.fround(vector[at] ?? 0) !== vector[at]) return false;
  return true;
}
