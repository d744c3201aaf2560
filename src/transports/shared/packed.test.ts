import { expect, test } from 'bun:test';
import { packed, packedAnswer } from './packed.ts';

const MEGABYTE = 1024 * 1024;

function asked(encoding?: string) {
  return { method: 'GET', headers: new Headers(encoding === undefined ? {} : { 'accept-encoding': encoding }) };
}

test.each([undefined, 'gzip', 'br'])(
  'answers in the encoding %p share one body, however many wait for a reader',
  (encoding) => {
    // Random content is equally large in every encoding.
    const content = packed(crypto.getRandomValues(new Uint8Array(60_000)).toString().repeat(20));
    const size = Number(packedAnswer(asked(encoding), content, {}).headers.get('content-length'));
    const before = process.memoryUsage.rss();
    const count = Math.ceil((400 * MEGABYTE) / size);
    const waiting = Array.from({ length: count }, () => packedAnswer(asked(encoding), content, {}));
    const grown = process.memoryUsage.rss() - before;
    expect(waiting.length * size).toBeGreaterThanOrEqual(400 * MEGABYTE);
    expect(grown).toBeLessThan(100 * MEGABYTE);
  },
);
