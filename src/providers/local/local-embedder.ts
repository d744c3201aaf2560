import { unitVector } from '../../domain/embeddings/unit-vector.ts';
import { type EmbeddingThread, embeddingThread } from './embedding-thread.ts';

/** A text of more has more tokens than the model takes. */
const MOST_CHARACTERS = 16_384;
/** The model may have to be loaded first, which takes half a second; a text of a few sentences takes 10 to 50 ms. */
const WITHIN_MS = 2_000;

/** Embeds the questions of the semantic cache with the packaged model; as the engine's port `Embedder` has it. */
export class LocalEmbedder {
  readonly name = 'local';

  constructor(
    private readonly thread: Pick<EmbeddingThread, 'embed'> = embeddingThread,
    private readonly withinMs = WITHIN_MS,
  ) {}

  async embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    if (text === '' || text.length > MOST_CHARACTERS) return null;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.withinMs);
    try {
      const result = await this.thread.embed(accountId, [text], AbortSignal.any([signal, limit.signal]));
      const vector = result.kind === 'embedded' ? result.vectors[0] : undefined;
      return vector === undefined ? null : unitVector(vector);
    } finally {
      clearTimeout(timer);
    }
  }
}
