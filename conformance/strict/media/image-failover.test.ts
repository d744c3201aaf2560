import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../../first-light/upstream.ts';
import { asObject, parseJson } from '../../shared/json.ts';
import type { Serving } from '../../shared/serving.ts';
import { Workspace } from '../../shared/workspace.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { IMAGE_URIS, SQUARE } from './image-samples.ts';
import { imageUpstreams } from './index.ts';

/* One image model at several providers with different restrictions: each gets a request that it accepts. */

setDefaultTimeout(600_000);

const MODEL = 'picture';
/** In failover order. */
const CHAIN = [
  ['openai-images', 'gpt-image-2'],
  ['gemini-images', 'gemini-3-pro-image'],
  ['xai-images', 'grok-imagine-image-2.0'],
  ['recraft-images', 'recraftv3'],
  ['stability-images', 'sd3.5-large'],
  ['ideogram-images', 'ideogram-v3'],
  ['bfl-images', 'flux-2-pro'],
] as const;
type Name = (typeof CHAIN)[number][0];

let server: StrictServer;
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  server = startStrictServer(imageUpstreams);
  space = await Workspace.create();
  const channels = CHAIN.map(([name, upstreamModel], priority) => {
    const provider = imageUpstreams.find((upstream) => upstream.name === name)?.provider;
    const breaker = { minimum_requests: 1_000_000 };
    const base_url = server.baseUrlOf(name);
    return {
      id: name,
      name,
      provider,
      base_url,
      api_key: 'upstream-key',
      priority,
      breaker,
      models: { [MODEL]: upstreamModel },
    };
  });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    cache: { strategy: 'asked' },
    routing: { max_attempts: CHAIN.length + 1 },
    channels,
    models: [{ id: MODEL, category: 'image', operations: ['images.generations', 'images.edits'], pricing: 'free' }],
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterEach(() => server.clear());
afterAll(async () => {
  await space?.remove();
  await server?.stop();
});

/** Makes the upstreams before this one fail every time. */
function failBefore(name: Name): void {
  for (const [other] of CHAIN.slice(
    0,
    CHAIN.findIndex(([one]) => one === name),
  )) {
    server.script(other, ...Array.from({ length: 8 }, () => () => new Response('broken', { status: 500 })));
  }
}

const headers = { authorization: `Bearer ${clientKey('acme')}` };

async function generate(members: object) {
  const answer = await fetch(`${serving.baseUrl}/images/generations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, prompt: 'a fox', ...members }),
  });
  return { status: answer.status, error: asObject(asObject(parseJson(await answer.text())).error) };
}

const ASKED: Readonly<Record<string, object>> = {
  'every parameter': {
    ...{ size: '1000x333', quality: 'hd', style: 'vivid', seed: 2 ** 40, negative_prompt: 'fog', n: 2, user: 'u' },
    ...{ output_compression: 50, moderation: 'low', background: 'opaque' },
  },
  'a ratio': { aspect_ratio: '100:1', response_format: 'url' },
  'an input image': { image_url: IMAGE_URIS.png },
};

describe.each(CHAIN.map(([name]) => name))('%s, after all channels before it have failed,', (name) => {
  test.each(Object.keys(ASKED))('accepts a request with %s', async (asked) => {
    failBefore(name);
    const { status, error } = await generate(ASKED[asked] ?? {});
    expect({ status, error, refused: server.refusals.map(({ message }) => message) }).toEqual({
      ...{ status: 200, error: {}, refused: [] },
    });
    expect(server.journal.at(-1)?.upstream).toBe(name);
  });
});

test('providers that cannot read the type of image are skipped', async () => {
  const { status } = await generate({ image_url: IMAGE_URIS.gif });
  expect({ status, asked: server.journal.map(({ upstream }) => upstream) }).toEqual({
    status: 200,
    asked: ['bfl-images'],
  });
});

test('the field is named if no provider supports the request', async () => {
  const { status, error } = await generate({ image_url: IMAGE_URIS.gif, output_format: 'webp' });
  expect({ status, param: error.param }).toEqual({ status: 400, param: 'image_url' });
  expect(server.journal).toEqual([]);
});

test('providers for which the prompt is too long are skipped', async () => {
  failBefore('recraft-images');
  const { status } = await generate({ prompt: 'x'.repeat(10_001) });
  expect(server.refusals).toEqual([]);
  expect({ status, answeredBy: server.journal.at(-1)?.upstream }).toEqual({
    status: 200,
    answeredBy: 'ideogram-images',
  });
});

test('each provider gets the files of an edit again', async () => {
  failBefore('ideogram-images');
  const form = new FormData();
  for (const [part, value] of Object.entries({ model: MODEL, prompt: 'a hat', size: '1024x1024' }))
    form.append(part, value);
  for (const part of ['image', 'mask']) form.append(part, new File([new Uint8Array(SQUARE)], 'photo.jpg'));
  const answer = await fetch(`${serving.baseUrl}/images/edits`, { method: 'POST', headers, body: form });
  const refused = server.refusals.map(({ message }) => message);
  const [last] = server.journal.slice(-1);
  expect({ status: answer.status, refused, answeredBy: last?.upstream }).toEqual({
    ...{ status: 200, refused: [], answeredBy: 'ideogram-images' },
  });
  expect(last?.request.files.map(({ part, bytes }) => [part, bytes.length > 0])).toEqual([
    ['image', true],
    ['mask', true],
  ]);
});
