import { unitVector } from '../../../domain/embeddings/embeddings.ts';
import { type EmbeddingThread, embeddingThread } from './embedding-thread.ts';

/** A longer text is unlikely to be asked again, and would keep the thread busy for more than 0.25 s. */
const MOST_CHARACTERS = 2_048;
/** The most characters of one account's texts in flight; any more would not be ready in time. */
const MOST_UNDER_WAY = 16_384;
/** The model may have to be loaded first, which takes half a second; a text of a few sentences takes 10 to 50 ms. */
const WITHIN_MS = 2_000;
/** The cooldown after the thread has failed. */
const REST_MS = 30_000;

export interface LocalEmbedderOptions {
  readonly thread?: Pick<EmbeddingThread, 'embed'>;
  /** Resolves after the time, or as soon as the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with the reason when the thread has failed. */
  readonly failed?: (why: string) => void;
}

/** Embeds the questions of the semantic cache with the packaged model; implements the engine's port `Embedder`. */
export class LocalEmbedder {
  readonly name = 'local';
  /** Characters in flight, by account. */
  private readonly underWay = new Map<string, number>();
  private restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: LocalEmbedderOptions) {}

  async embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    if (text === '' || text.length > MOST_CHARACTERS || performance.now() < this.restsUntilMs) return null;
    const before = this.underWay.get(accountId) ?? 0;
    if (before + text.length > MOST_UNDER_WAY) return null;
    this.underWay.set(accountId, before + text.length);
    const over = new AbortController();
    const limit = new AbortController();
    void this.options.sleep(WITHIN_MS, over.signal).then(() => {
      if (!over.signal.aborted) limit.abort();
    });
    try {
      const thread = this.options.thread ?? embeddingThread;
      const result = await thread.embed(accountId, [text], AbortSignal.any([signal, limit.signal]));
      if (result.kind === 'failed') this.rest(result.why);
      const vector = result.kind === 'embedded' ? result.vectors[0] : undefined;
      return vector === undefined ? null : unitVector(vector);
    } finally {
      over.abort();
      this.leave(accountId, text.length);
    }
  }

  private leave(accountId: string, characters: number): void {
    const left = (this.underWay.get(accountId) ?? 0) - characters;
    if (left > 0) this.underWay.set(accountId, left);
    else this.underWay.delete(accountId);
  }

  /** Starts the cooldown; reports only once, although other texts in flight may fail as well. */
  private rest(why: string): void {
    if (performance.now() < this.restsUntilMs) return;
    this.restsUntilMs = performance.now() + REST_MS;
    this.options.failed?.(why);
  }
}
