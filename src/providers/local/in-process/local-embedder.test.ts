import { describe, expect, test } from 'bun:test';
import type { EmbeddingProblem, Embeddings } from './embedding-job.ts';
import { LocalEmbedder } from './local-embedder.ts';

const { signal } = new AbortController();
const sleep = () => new Promise<void>(() => {});

/** Returns a thread with this result; without one, it settles when the signal fires. */
function threadGiving(result: Embeddings | EmbeddingProblem | null) {
  const asked: (readonly [string, readonly string[]])[] = [];
  const embed = (owner: string, texts: readonly string[], given: AbortSignal) => {
    asked.push([owner, texts]);
    const left = { kind: 'left' } as const;
    if (result !== null) return Promise.resolve(result);
    return new Promise<EmbeddingProblem>((resolve) => {
      if (given.aborted) resolve(left);
      given.addEventListener('abort', () => resolve(left));
    });
  };
  return { asked, thread: { embed } };
}

describe('the local embedder', () => {
  test('gives a vector of length 1, and lets accounts take turns', async () => {
    const { asked, thread } = threadGiving({ kind: 'embedded', vectors: [Float32Array.of(0, 5)], tokens: 1 });
    expect(await new LocalEmbedder({ thread, sleep }).embed('acme', 'text', signal)).toEqual(Float32Array.of(0, 1));
    expect(asked).toEqual([['acme', ['text']]]);
  });

  test('gives null for an empty or overlong text', async () => {
    const { asked, thread } = threadGiving(null);
    const embedder = new LocalEmbedder({ thread, sleep });
    expect(await embedder.embed('acme', '', signal)).toBeNull();
    expect(await embedder.embed('acme', 'x'.repeat(20_000), signal)).toBeNull();
    expect(asked).toEqual([]);
  });

  test.each<EmbeddingProblem | Embeddings>([
    { kind: 'busy', isOwn: true, retryAfterS: 1 },
    { kind: 'failed', why: 'it ended' },
    { kind: 'embedded', vectors: [Float32Array.of(Number.NaN)], tokens: 0 },
    { kind: 'embedded', vectors: [], tokens: 0 },
  ])('gives null after %p', async (result) => {
    expect(await new LocalEmbedder({ ...threadGiving(result), sleep }).embed('acme', 'text', signal)).toBeNull();
  });

  test('gives null after its timeout, or when the client disconnects', async () => {
    const { thread } = threadGiving(null);
    expect(await new LocalEmbedder({ thread, sleep: async () => {} }).embed('acme', 'text', signal)).toBeNull();
    expect(await new LocalEmbedder({ thread, sleep }).embed('acme', 'text', AbortSignal.abort())).toBeNull();
  });

  test('gives null at once to an account with many texts in flight, and serves others', async () => {
    const { asked, thread } = threadGiving(null);
    const embedder = new LocalEmbedder({ thread, sleep });
    const leaving = new AbortController();
    const ask = (account: string) => embedder.embed(account, 'x'.repeat(2_000), leaving.signal);
    const flood = Array.from({ length: 50 }, () => ask('acme'));
    expect(asked).toHaveLength(8);
    expect(await flood.at(-1)).toBeNull();
    const other = ask('other');
    expect(asked).toHaveLength(9);
    leaving.abort();
    await Promise.all([...flood, other]);
    void embedder.embed('acme', 'x', AbortSignal.abort());
    expect(asked).toHaveLength(10);
  });

  test('reports a failed thread once, and pauses', async () => {
    const { asked, thread } = threadGiving({ kind: 'failed', why: 'it ended' });
    const told: string[] = [];
    const embedder = new LocalEmbedder({ thread, sleep, failed: (why) => void told.push(why) });
    await Promise.all([embedder.embed('acme', 'one', signal), embedder.embed('acme', 'other', signal)]);
    expect(await embedder.embed('acme', 'text', signal)).toBeNull();
    expect(asked).toHaveLength(2);
    expect(told).toEqual(['it ended']);
  });
});
