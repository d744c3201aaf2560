import { afterAll, beforeAll, expect, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { asObject } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* A URL in a prompt for a provider that only takes bytes must not reach an address in the operator's own network. */

let asked = 0;
const inside = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch() {
    asked++;
    return new Response('secret');
  },
});

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        id: 'nova',
        provider: 'bedrock',
        base_url: `http://127.0.0.1:${inside.port}`,
        api_key: 'upstream-key',
        models: { nova: 'amazon.nova-pro-v1:0' },
      },
    ],
    accounts: [accountWith('acme', [keyNamed('main')])],
    media: { allow_http: true },
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});

afterAll(async () => {
  await space.remove();
  await inside.stop(true);
});

test.each([
  `http://127.0.0.1:${inside.port}/secret.png`,
  `http://localhost:${inside.port}/secret.png`,
  `http://2130706433:${inside.port}/secret.png`,
  `http://[::ffff:127.0.0.1]:${inside.port}/secret.png`,
  'http://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/picture.png',
  'file:///etc/passwd',
])('%s is refused by its field, and nothing is fetched', async (url) => {
  const content = [{ type: 'image_url', image_url: { url } }];
  const answer = await fetch(`${serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey('main')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nova', messages: [{ role: 'user', content }] }),
  });
  const error = asObject(asObject(await answer.json()).error);
  expect(answer.status).toBe(400);
  expect(error.param).toStartWith('messages[0].content[0]');
  expect(String(error.message)).toContain('inline');
  expect(asked).toBe(0);
});
