import { parentPort } from 'node:worker_threads';
import { describeError } from '../../../domain/text/describe-error.ts';
import { SentenceEncoder } from './sentence-encoder.ts';

/** The model's window is shorter: many windows take long, and a single vector represents such a long text poorly. */
const MOST_TOKENS = 2_048;

/** The reply to a list of texts. */
export type EmbeddedTexts =
  /** The concatenated vectors, and the total tokens of all texts. */
  | { readonly kind: 'embedded'; readonly vectors: Float32Array<ArrayBuffer>; readonly tokens: number }
  | { readonly kind: 'too_long'; readonly index: number; readonly tokens: number; readonly mostTokens: number }
  | { readonly kind: 'failed'; readonly why: string };

let loading: Promise<SentenceEncoder> | null = null;

parentPort?.on('message', async (texts: readonly string[]) => {
  try {
    loading ??= SentenceEncoder.load();
    const answer = await embedded(await loading, texts);
    parentPort?.postMessage(answer, answer.kind === 'embedded' ? [answer.vectors.buffer] : []);
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', why: describeError(error).error } satisfies EmbeddedTexts);
  }
});

async function embedded(encoder: SentenceEncoder, texts: readonly string[]): Promise<EmbeddedTexts> {
  const lists = texts.map((text) => encoder.tokensOf(text));
  const index = lists.findIndex(({ length }) => length > MOST_TOKENS);
  if (index >= 0) return { kind: 'too_long', index, tokens: lists[index]?.length ?? 0, mostTokens: MOST_TOKENS };
  const tokens = lists.reduce((sum, { length }) => sum + length, 0);
  return { kind: 'embedded', vectors: await encoder.embed(lists), tokens };
}
