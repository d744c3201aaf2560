import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ClientBed, startClientBed, UPSTREAMS } from './bed.ts';
import { chosenClients } from './index.ts';
import { packagesOf } from './install.ts';

/*
 * Published clients as they are, over an upstream of each format: a loop of four turns, and two more with another model.
 * SWITCHYARD_CLIENTS names them, and what of them is not installed yet is installed first (docs/clients.md).
 */

setDefaultTimeout(400_000);

const clients = chosenClients();
let bed: ClientBed;

beforeAll(async () => {
  for (const client of clients) await packagesOf(client);
  bed = await startClientBed();
});

afterAll(() => bed?.stop());

test('SWITCHYARD_CLIENTS names clients that there are', () => {
  expect(clients).not.toEqual([]);
});

test('a name that no client has chooses none', () => {
  expect(chosenClients('no-such-client')).toEqual([]);
  expect(chosenClients('codex, ai-sdk').map(({ name }) => name)).toEqual([
    ...['codex', 'codex-websocket'],
    ...['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'].map((format) => `ai-sdk-${format}`),
  ]);
});

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  test.each(UPSTREAMS.map((upstream, index) => [upstream.id, upstream, index] as const))(
    'works over %s, and goes on with another model',
    async (_id, upstream, index) => {
      const then = UPSTREAMS[(index + 1) % UPSTREAMS.length] ?? upstream;
      expect(await bed.work(client, upstream, then)).toEqual([]);
    },
  );
});
