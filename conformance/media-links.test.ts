import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createLogger } from '../src/main/logging/logger.ts';
import { derivedKey, systemClock } from '../src/main/system.ts';
import { S3Shelf } from '../src/stores/media/s3-shelf.ts';
import { ShelvedMedia } from '../src/stores/media/shelved-media.ts';
import { FakeS3, s3Place } from '../src/stores/media/testing/fake-s3.ts';
import { startGatewayWith } from './shared/gateway.ts';
import { MEDIA_SECRET, MediaNodes } from './shared/media-nodes.ts';
import { pngOf } from './shared/png.ts';
import { TestClock } from './shared/test-clock.ts';

/* Links to stored files. Any node with the secret and the store can serve them. */

const PNG = new Uint8Array(pngOf({ width: 1, height: 1 }));
const clock = new TestClock();
let nodes: MediaNodes;

beforeAll(async () => {
  nodes = await MediaNodes.open(clock);
});
afterAll(async () => nodes?.close());

describe('a link', () => {
  test('needs no key and is readable for pages of other origins', async () => {
    const answer = await fetch(await nodes.linkTo(PNG, 'image/png'), {
      headers: { origin: 'https://app.example' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(answer.headers.get('content-length')).toBe(String(PNG.length));
    expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
  });

  test('to a large file can be read in ranges, in sequence and in parallel', async () => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 249);
    const link = await nodes.linkTo(bytes, 'video/mp4');
    const parts = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const range = `bytes=${index * 100_000}-${(index + 1) * 100_000 - 1}`;
        const answer = await fetch(link, { headers: { range } });
        expect([answer.status, answer.headers.get('content-length')]).toEqual([206, '100000']);
        return answer.bytes();
      }),
    );
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '3000000']);
  });

  test('that was changed or signed with another secret is not found, with the same message', async () => {
    const link = await nodes.linkTo(PNG, 'image/png');
    const foreign = nodes.foreignStore();
    const links = [
      link.replace('.png', '.svg'),
      link.replace(/expires=\d/, 'expires=9'),
      link.slice(0, -1),
      link.split('?')[0] ?? '',
      `${nodes.origin}/media/nothing`,
      await nodes.linkTo(PNG, 'image/png', { store: foreign }),
    ];
    const answers = await Promise.all(links.map(async (one) => (await fetch(one)).text()));
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ error: { code: 'object_not_found' } });
    await foreign.close();
  });

  test('expires at the time it states', async () => {
    const expiresAtMs = Math.ceil(clock.nowMs() / 1_000) * 1_000 + 60_000;
    const link = await nodes.linkTo(PNG, 'image/png', { expiresAtMs });
    clock.advance(expiresAtMs - clock.nowMs() - 1);
    expect((await fetch(link)).status).toBe(200);
    clock.advance(1);
    expect((await fetch(link)).status).toBe(404);
  });
});

describe('files in an object storage (an imitation)', () => {
  test('are served by the gateway, whole, in ranges and for HEAD', async () => {
    const s3 = new FakeS3();
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3Place(s3);
    const place = {
      endpoint,
      bucket,
      region,
      prefix: 'switchyard',
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
    };
    const settings = { sandbox: true, media_store: { kind: 's3', s3: place } };
    const other = await startGatewayWith([], settings, { SWITCHYARD_SECRET: MEDIA_SECRET });
    const store = new ShelvedMedia({
      ...{
        shelf: new S3Shelf({ place: s3Place(s3), clock: systemClock }),
        clock: systemClock,
        logger: createLogger('silent'),
      },
      ...{
        key: derivedKey(MEDIA_SECRET, 'media links'),
        linkMs: 60_000,
        sweepMs: 60_000,
        maxBytes: 2 ** 30,
        maxBytesPerAccount: 2 ** 30,
      },
    });
    try {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 249);
      const link = (await nodes.linkTo(bytes, 'video/mp4', { store })).replace(nodes.origin, other.origin);
      const whole = await fetch(link);
      expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      const part = await fetch(link, { headers: { range: 'bytes=-1000' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 299000-299999/300000']);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.slice(299_000))).toBe(true);
      const head = await fetch(link, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000']);
      s3.objects.clear();
      expect((await fetch(link)).status).toBe(404);
      await s3.close();
      expect((await fetch(link)).status).toBe(503);
    } finally {
      await store.close();
      await other.stop();
    }
  });
});
