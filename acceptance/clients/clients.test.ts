import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ClientBed, startClientBed, UPSTREAMS } from './bed.ts';
import { chosenClients } from './index.ts';
import { packagesOf } from './install.ts';

/*
 * Runs unmodified published clients over an upstream of each format: four turns, then two more with another model. SWITCHYARD_CLIENTS
 * selects the clients; missing ones are installed first (docs/clients.md).
 */

setDefaultTimeout(400_000);

const clients = chosenClients();
let bed: ClientBed;

beforeAll(async () => {
  for (const client of clients) await packagesOf(client);
  bed = await startClientBed();
});

afterAll(() => bed?.stop());

test('SWITCHYARD_CLIENTS selects at least one client', () => {
  expect(clients).not.toEqual([]);
});

test('an unknown client name selects nothing', () => {
  expect(chosenClients('no-such-client')).toEqual([]);
  expect(chosenClients('codex, ai-sdk').map(({ name }) => name)).toEqual([
    ...['codex', 'codex-websocket'],
    ...['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'].map((format) => `ai-sdk-${format}`),
  ]);
});

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  test.each(UPSTREAMS.map((upstream, index) => [upstream.id, upstream, index] as const))(
    'works over %s and continues with another model',
    async (_id, upstream, index) => {
      const then = UPSTREAMS[(index + 1) % UPSTREAMS.length] ?? upstream;
      expect(await bed.work(client, upstream, then)).toEqual([]);
    },
  );
});
