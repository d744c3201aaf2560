import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Failure } from '../src/domain/failure/failure.ts';
import type { MediaStore } from '../src/engine/ports/media-store.ts';
import { createLogger } from '../src/main/logging.ts';
import { openMediaStore } from '../src/main/open-media-store.ts';
import { derivedKey, systemClock } from '../src/main/system.ts';
import { S3Shelf } from '../src/stores/media/s3-shelf.ts';
import { ShelvedMedia } from '../src/stores/media/shelved-media.ts';
import { FakeS3, s3Place } from '../src/stores/media/testing/fake-s3.ts';
import { browserTest, CHROMIUM } from './shared/chromium.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* This process stores files, and a gateway of its own process serves them: two nodes with one secret and one store. */

const SECRET = 'a master secret that two nodes share';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><script>top.hacked = true; document.title = 'hacked'</script><rect width="7" height="7"/></svg>`;

let folder: string;
let profile: string;
let gateway: Gateway;
let media: MediaStore;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchyard-media-'));
  profile = await mkdtemp(path.join(tmpdir(), 'switchyard-browser-'));
  const settings = { sandbox: true, media_store: { folder: path.join(folder, 'media') } };
  gateway = await startGatewayWith([], settings, { SWITCHYARD_SECRET: SECRET });
  const logger = createLogger('silent');
  media = openMediaStore({ clock: systemClock, configuration: null, dataDirectory: folder, secret: SECRET, logger });
}, 30_000);

afterAll(async () => {
  await gateway?.stop();
  await media?.close();
  for (const one of [folder, profile]) await rm(one, { recursive: true, force: true });
});

async function linkTo(store: MediaStore, content: Uint8Array<ArrayBuffer>, mediaType: string): Promise<string> {
  const made = await store.put({ accountId: 'acme', content: { kind: 'bytes', bytes: content }, mediaType });
  if (made instanceof Failure) throw new Error(made.message);
  return store.link(made, gateway.origin);
}

/** A second of silence. */
function wav(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + 8_000).fill(128);
  const view = new DataView(bytes.buffer);
  for (const [at, text] of [
    [0, 'RIFF'],
    [8, 'WAVE'],
    [12, 'fmt '],
    [36, 'data'],
  ] as const)
    bytes.set(Buffer.from(text), at);
  for (const [at, value] of [
    [4, 8_036],
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, 8_000],
  ] as const)
    view.setUint32(at, value, true);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    view.setUint16(at, value, true);
  return bytes;
}

describe('a link', () => {
  test('needs no key, and pages of other origins may read what it leads to', async () => {
    const answer = await fetch(await linkTo(media, new Uint8Array(PNG), 'image/png'), {
      headers: { origin: 'https://app.example' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(answer.headers.get('content-length')).toBe(String(PNG.length));
    expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
  });

  test('to a large file can be read in parts, one after the other and several at once', async () => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 249);
    const link = await linkTo(media, bytes, 'video/mp4');
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

  test('that was changed, or signed with another secret, is not found, in the same words', async () => {
    const link = await linkTo(media, new Uint8Array(PNG), 'image/png');
    const logger = createLogger('silent');
    const foreign = openMediaStore({
      clock: systemClock,
      configuration: null,
      dataDirectory: folder,
      secret: `${SECRET}!`,
      logger,
    });
    const links = [
      link.replace('.png', '.svg'),
      link.replace(/expires=\d/, 'expires=9'),
      link.slice(0, -1),
      link.split('?')[0] ?? '',
      `${gateway.origin}/media/nothing`,
      await linkTo(foreign, new Uint8Array(PNG), 'image/png'),
    ];
    const answers = await Promise.all(links.map(async (one) => (await fetch(one)).text()));
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ error: { code: 'object_not_found' } });
    await foreign.close();
  });

  test('ends when it says', async () => {
    const bytes = { kind: 'bytes', bytes: new Uint8Array(PNG) } as const;
    const expiresAtMs = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    const made = await media.put({ accountId: 'acme', content: bytes, mediaType: 'image/png', expiresAtMs });
    if (made instanceof Failure) throw new Error(made.message);
    const link = media.link(made, gateway.origin);
    expect((await fetch(link)).status).toBe(200);
    await Bun.sleep(expiresAtMs - Date.now() + 20);
    expect((await fetch(link)).status).toBe(404);
  });
});

describe('files in an object storage (an imitation)', () => {
  test('are served by the gateway, whole, in parts and by HEAD', async () => {
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
    const other = await startGatewayWith([], settings, { SWITCHYARD_SECRET: SECRET });
    const store = new ShelvedMedia({
      ...{
        shelf: new S3Shelf({ place: s3Place(s3), clock: systemClock }),
        clock: systemClock,
        logger: createLogger('silent'),
      },
      ...{
        key: derivedKey(SECRET, 'media links'),
        linkMs: 60_000,
        sweepMs: 60_000,
        maxBytes: 2 ** 30,
        maxBytesPerAccount: 2 ** 30,
      },
    });
    try {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 249);
      const link = (await linkTo(store, bytes, 'video/mp4')).replace(gateway.origin, other.origin);
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
  }, 30_000);
});

browserTest(
  'a browser shows pictures, SVGs without their scripts, and plays sound, in a page of another origin',
  async () => {
    const links = {
      png: await linkTo(media, new Uint8Array(PNG), 'image/png'),
      svg: await linkTo(media, new TextEncoder().encode(SVG), 'image/svg+xml'),
      wav: await linkTo(media, wav(), 'audio/wav'),
      html: await linkTo(media, new TextEncoder().encode('<script>parent.hacked = true</script>'), 'text/html'),
    };
    const script = async (at: typeof links) => {
      // Types of the DOM are not part of this project.
      const page = Object(globalThis);
      const loaded = (element: Record<string, unknown>, event: string, src: string) =>
        new Promise((resolve) => {
          element[`on${event}`] = () => resolve(element.naturalWidth ?? Math.round(Number(element.duration) * 10));
          element.onerror = () => resolve('error');
          element.src = src;
        });
      const results = {
        png: await loaded(new page.Image(), 'load', at.png),
        svg: await loaded(new page.Image(), 'load', at.svg),
        wav: await loaded(new page.Audio(), 'loadedmetadata', at.wav),
        read: (await (await fetch(at.png)).blob()).size,
        hacked: page.hacked ?? false,
      };
      await fetch('/results', { method: 'POST', body: JSON.stringify(results) });
    };
    const body = `<!doctype html><body><iframe src="${Bun.escapeHTML(links.html)}"></iframe><script>(${script})(${JSON.stringify(links)})</script>`;
    const { promise: results, resolve } = Promise.withResolvers<unknown>();
    const pages = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        if (request.method === 'POST') resolve(await request.json());
        return new Response(body, { headers: { 'content-type': 'text/html' } });
      },
    });
    const child = Bun.spawn(
      [
        CHROMIUM ?? '',
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
        ...['--remote-debugging-port=0', `--user-data-dir=${profile}`, pages.url.href],
      ],
      { stdout: 'ignore', stderr: 'ignore' },
    );
    try {
      expect(await results).toEqual({ png: 1, svg: 7, wav: 10, read: PNG.length, hacked: false });
    } finally {
      child.kill();
      await child.exited;
      await pages.stop(true);
    }
  },
  60_000,
);
