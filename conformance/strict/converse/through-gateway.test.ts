import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { CHAT, CLAUDE_CODE, claudeCode, RESPONSES } from '../shared/client-requests.ts';
import { bedrockConverse } from './index.ts';

/* What clients of all formats send is a request that Converse takes, for the models of every maker. */

let server: StrictServer;
let gateway: Gateway;

beforeAll(async () => {
  server = startStrictServer([bedrockConverse]);
  const { name, provider, wire, models } = bedrockConverse;
  gateway = await startGatewayWith([
    {
      ...{ id: name, name, provider, base_url: server.baseUrlOf(name), api_key: 'upstream-key', formats: [wire] },
      models: Object.fromEntries(models.map((id) => [id, id])),
    },
  ]);
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});
beforeEach(() => server.clear());

const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;

/** What the upstream has refused, or the gateway; that it refuses what the model cannot do, before it asks, is right. */
async function refusalsOf(client: keyof typeof PATHS, model: string, body: object, headers: object = {}) {
  const response = await fetch(gateway.origin + PATHS[client], {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, ...body }),
  });
  const text = await response.text();
  const refused = server.refusals.map(({ rule, message }) => ({ rule: rule.id, message }));
  server.clear();
  if (response.status === 200 || refused.length > 0) return refused;
  return text.includes('cannot be carried to') ? [] : [{ status: response.status, text }];
}

describe.each(bedrockConverse.models)('%s', (model) => {
  test.each(Object.entries(CHAT))('takes %s of a chat client', async (_, body) => {
    expect(await refusalsOf('chat', model, body)).toEqual([]);
  });

  test.each(Object.entries(RESPONSES))('takes %s of a Responses client', async (_, body) => {
    expect(await refusalsOf('responses', model, body)).toEqual([]);
  });

  test('takes what Claude Code sends', async () => {
    expect(await refusalsOf('messages', model, claudeCode(), CLAUDE_CODE)).toEqual([]);
  });
});
