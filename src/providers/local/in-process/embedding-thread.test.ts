import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '../../../../conformance/shared/until.ts';
import type { Embeddings } from './embedding-job.ts';
import { EmbeddingThread } from './embedding-thread.ts';

const folder = await mkdtemp(join(tmpdir(), 'embedding-thread-'));
afterAll(() => rm(folder, { recursive: true }));

/** Returns vectors of one number, the length of the text; certain words make the worker die, hang or fail. */
const WORKER = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (texts) => {
  if (texts.includes('die')) process.exit(1);
  if (texts.includes('throw')) throw new Error('thrown');
  if (texts.includes('hang')) for (;;);
  if (texts.includes('fail')) return parentPort.postMessage({ kind: 'failed', why: 'it cannot' });
  const index = texts.indexOf('long');
  if (index >= 0) return parentPort.postMessage({ kind: 'too_long', index, tokens: 9, mostTokens: 8 });
  parentPort.postMessage({ kind: 'embedded', vectors: Float32Array.from(texts, (text) => text.length), tokens: texts.length });
});
`;
const worker = pathToFileURL(join(folder, 'worker.ts'));
await Bun.write(worker, WORKER);

const threadWith = (settings = {}) =>
  new EmbeddingThread({ worker, idleMs: 60_000, hungMs: 60_000, withinMs: 60_000, ...settings });
const { signal } = new AbortController();

const embedded = (...lengths: number[]): Embeddings => ({
  kind: 'embedded',
  vectors: lengths.map((length) => Float32Array.of(length)),
  tokens: lengths.length,
});

describe('a request', () => {
  test('of many pieces has its vectors in order', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => 'x'.repeat(1 + index * 7));
    const result = await threadWith().embed('a', texts, signal);
    expect(result).toEqual(embedded(...texts.map(({ length }) => length)));
  });

  test('learns which of its texts is too long', async () => {
    const texts = [...Array.from({ length: 100 }, () => 'short'), 'long', 'short'];
    expect(await threadWith().embed('a', texts, signal)).toEqual({
      kind: 'too_long',
      index: 100,
      tokens: 9,
      mostTokens: 8,
    });
  });

  test('of one owner does not wait for all requests of another', async () => {
    const thread = threadWith();
    const over: string[] = [];
    const many = Array.from({ length: 4 }, () =>
      thread
        .embed(
          'many',
          Array.from({ length: 500 }, () => 'x'.repeat(100)),
          signal,
        )
        .then(() => over.push('many')),
    );
    const few = thread.embed('few', ['x'], signal).then(() => over.push('few'));
    await Promise.all([...many, few]);
    expect(over[0]).toBe('few');
  });

  test('whose client disconnects ends at once, without further pieces', async () => {
    const thread = threadWith();
    const leaving = new AbortController();
    const left = thread.embed(
      'a',
      ['hang'.repeat(2), ...Array.from({ length: 500 }, () => 'x'.repeat(500))],
      leaving.signal,
    );
    const other = thread.embed('a', ['xx'], signal);
    leaving.abort();
    expect(await left).toEqual({ kind: 'left' });
    expect(await other).toEqual(embedded(2));
    expect(await thread.embed('a', ['x'], leaving.signal)).toEqual({ kind: 'left' });
  });

  test('that waits too long fails', async () => {
    const thread = threadWith({ withinMs: 100, hungMs: 300 });
    const hung = thread.embed('a', ['hang'], signal);
    const waiting = thread.embed('b', ['x'], signal);
    expect(await Promise.all([hung, waiting])).toEqual([{ kind: 'late' }, { kind: 'late' }]);
  });
});

describe('a thread', () => {
  test.each(['die', 'throw', 'fail'])('that meets "%s" fails only its current request', async (word) => {
    const thread = threadWith();
    const before = thread.embed('a', ['x'], signal);
    const failing = thread.embed('b', [word], signal);
    const others = ['c', 'd'].map((owner) => thread.embed(owner, ['xx'], signal));
    expect(await before).toEqual(embedded(1));
    expect(await failing).toMatchObject({ kind: 'failed', why: expect.stringMatching(/./) });
    expect(await Promise.all(others)).toEqual([embedded(2), embedded(2)]);
    expect(await thread.embed('b', ['xxx'], signal)).toEqual(embedded(3));
  });

  test('that hangs is replaced', async () => {
    const settings = { worker, idleMs: 60_000, hungMs: 50, withinMs: 60_000 };
    const thread = new EmbeddingThread(settings);
    const hung = thread.embed('a', ['hang'], signal);
    // The next piece waits for a thread to start, however long that takes on this machine.
    settings.hungMs = 60_000;
    const other = thread.embed('b', ['xx'], signal);
    expect(await hung).toEqual({ kind: 'failed', why: 'a chunk took too long' });
    expect(await other).toEqual(embedded(2));
  });

  test('that cannot start fails its requests', async () => {
    const thread = threadWith({ worker: pathToFileURL(join(folder, 'none.ts')) });
    const results = await Promise.all(['a', 'b'].map((owner) => thread.embed(owner, ['x'], signal)));
    expect(results.map(({ kind }) => kind)).toEqual(['failed', 'failed']);
  });

  test('starts with the first request, and ends when idle', async () => {
    const thread = threadWith({ idleMs: 50 });
    expect(thread.isStarted).toBe(false);
    expect(await thread.embed('a', ['x'], signal)).toEqual(embedded(1));
    expect(thread.isStarted).toBe(true);
    await until('the thread has ended', () => !thread.isStarted);
    expect(await thread.embed('a', ['xx'], signal)).toEqual(embedded(2));
  });
});
