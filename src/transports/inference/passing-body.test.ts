import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { until } from '../../domain/testing/until.ts';
import { passingBody } from './passing-body.ts';
import { type Upload, Uploads } from './uploads.ts';

const LIMITS = { accountId: 'acme', limitBytes: 1_000_000, length: null };

/** Returns a request whose body sends one piece and then stalls. */
function stalled(): Request {
  const body = new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(10)) });
  return new Request('http://gateway/v1/files', { method: 'POST', body });
}

class NotedUploads extends Uploads {
  readonly begun: Upload[] = [];

  override begin(accountId: string): Upload {
    const upload = super.begin(accountId);
    this.begun.push(upload);
    return upload;
  }
}

test('a body that arrives too slowly is a 408, and its upstream request is cut', async () => {
  let nowMs = 0;
  const uploads = new NotedUploads(() => nowMs);
  let cut: () => void = () => undefined;
  const wasCut = new Promise<void>((resolve) => {
    cut = resolve;
  });
  let arrived: () => void = () => undefined;
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      request.signal.addEventListener('abort', cut);
      const reader = request.body?.getReader();
      await reader?.read();
      arrived();
      await reader?.read().catch(cut);
      return new Response('whole');
    },
  });
  const body = passingBody(stalled(), { ...LIMITS, uploads });
  if (body === null || body instanceof Failure) throw new Error('there is a body');
  const sending = fetch(`http://127.0.0.1:${upstream.port}/`, { method: 'POST', body: body.stream });
  await hasArrived;
  await until('more of it is wanted', () => uploads.begun[0]?.isPaused === false);
  for (let second = 0; second < 100; second++) {
    nowMs += 1_000;
    uploads.look();
  }
  expect(sending).rejects.toThrow();
  await sending.catch(() => undefined);
  await wasCut;
  expect([body.failure?.code, body.failure?.status]).toEqual(['request_timeout', 408]);
  await upstream.stop(true);
});

test('a body that nobody reads is not an upload', async () => {
  const uploads = new NotedUploads();
  const body = passingBody(stalled(), { ...LIMITS, uploads });
  if (body === null || body instanceof Failure) throw new Error('there is a body');
  await fetch('http://127.0.0.1:1/', { method: 'POST', body: body.stream }).catch(() => undefined);
  await body.stream.cancel().catch(() => undefined);
  expect(uploads.begun).toEqual([]);
});
