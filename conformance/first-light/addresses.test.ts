import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* The paths that clients request, depending on the base URL that a user configured. */

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve();
});
afterAll(() => space.remove());

const messages = [{ role: 'user', content: 'Hello' }];
const CHAT = { model: 'sandbox-chat', messages };
const BODIES = {
  chat: CHAT,
  responses: { model: 'sandbox-chat', input: 'Hello', store: false },
  messages: { ...CHAT, max_tokens: 50 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
} as const;
const ANSWERS = { chat: 'choices', responses: 'output', messages: 'stop_reason', gemini: 'candidates' } as const;

async function ask(path: string, body: object | null, headers: Record<string, string> = {}) {
  const answer = await fetch(serving.origin + path, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${serving.firstKey}`, 'content-type': 'application/json', ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: asObject(parseJson(text)), headers: answer.headers };
}

describe('an inference request is accepted at', () => {
  test.each<[keyof typeof BODIES, string]>([
    ['chat', '/chat/completions'],
    ['chat', '/v1/v1/chat/completions'],
    ['chat', '//v1//chat/completions/'],
    ['chat', '/v1/chat/completions/?api-version=2026-01-01'],
    ['chat', '/v1beta/openai/chat/completions'],
    ['chat', '/v1/openai/chat/completions'],
    ['chat', '/openai/v1/chat/completions?api-version=preview'],
    ['chat', '/openai/deployments/sandbox-chat/chat/completions?api-version=2024-10-21'],
    ['responses', '/responses'],
    ['responses', '/openai/responses?api-version=2026-01-01'],
    ['responses', '/openai/v1/responses/'],
    ['messages', '/messages'],
    ['messages', '/v1/v1/messages?beta=true'],
    ['messages', '/anthropic/v1/messages'],
    ['gemini', '/v1alpha/models/sandbox-chat:generateContent'],
    ['gemini', '/v1beta/v1beta/models/sandbox-chat:generateContent'],
    ['gemini', '/v1/v1beta/models/sandbox-chat:generateContent'],
    ['gemini', '/models/sandbox-chat:generateContent'],
    ['gemini', '/v1beta//models/sandbox-chat:generateContent/'],
    ['gemini', '/v1beta/models//sandbox-chat:generateContent'],
  ])('%s: %s', async (format, path) => {
    const { status, json } = await ask(path, BODIES[format]);
    expect([status, ANSWERS[format] in json]).toEqual([200, true]);
  });

  test("the deployment in Azure's path is the model, whatever the body says", async () => {
    const path = '/openai/deployments/sandbox%2Dreasoning/chat/completions?api-version=2024-10-21';
    for (const body of [{ messages }, CHAT, { model: null, messages }]) {
      expect((await ask(path, body)).json.model).toBe('sandbox-reasoning');
    }
    const wrong = await ask('/openai/deployments/no-such/chat/completions', { messages });
    expect([wrong.status, asObject(wrong.json.error).code]).toEqual([404, 'model_not_found']);
    const broken = await ask(path, [1]);
    expect([broken.status, asObject(broken.json.error).type]).toEqual([400, 'invalid_request_error']);
  });

  test.each(['/models', '/v1/models/', '/v1//models', '/openai/v1/models', '/v1beta/openai/models?x=//'])(
    'the list of models: %s',
    async (path) => {
      const { json } = await ask('/v1/models', null);
      expect(json).toMatchObject({ object: 'list', data: expect.arrayContaining([expect.anything()]) });
      expect((await ask(path, null)).json).toEqual(json);
      expect((await ask(path, CHAT)).status).toBe(405);
    },
  );

  test("Google's list of models: /v1alpha/models", async () => {
    expect((await ask('/v1alpha/models', null)).json).toHaveProperty('models');
  });
});

describe('an unknown path gets an error in the client’s format, with a hint', () => {
  const openai = { error: { code: 'unknown_url', type: 'invalid_request_error' } };
  const anthropic = { type: 'error', error: { type: 'not_found_error' } };
  const gemini = { error: { code: 404, status: 'NOT_FOUND' } };

  test.each<[string, Record<string, string>, object, RegExp]>([
    ['/v1/nothing', {}, openai, /There is no endpoint .*SDKs is http:\/\/127\.0\.0\.1:\d+\/v1 here/],
    ['/v2/chat/completions', {}, openai, /base URL/],
    ['/nothing', { 'anthropic-version': '2023-06-01' }, anthropic, /Claude Code is http:\/\/127\.0\.0\.1:\d+ here/],
    ['/v1/messages/nothing', {}, anthropic, /does not serve POST \/v1\/messages\/nothing/],
    ['/v1/files', { 'anthropic-version': '2023-06-01' }, anthropic, /relayed only to an account's own channel/],
    ['/v1beta/nothing', {}, gemini, /Gemini CLI is/],
    ['/v1beta/tunedModels', {}, gemini, /does not serve/],
    ['/nothing', { 'x-goog-api-key': 'x' }, gemini, /Gemini CLI is/],
    ['/v1/fine_tuning/jobs', {}, openai, /does not serve POST \/v1\/fine_tuning\/jobs/],
    ['/openai/deployments/x/fine_tuning', {}, openai, /does not serve/],
    ['/v1/threads', {}, openai, /does not serve/],
  ])('%s %j', async (path, headers, envelope, hint) => {
    const { status, json, text } = await ask(path, CHAT, headers);
    expect([status, json]).toMatchObject([404, envelope]);
    expect(text).toMatch(hint);
  });

  test('a forged host is not repeated', async () => {
    const { text } = await ask('/v1/nothing', null, {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });
    expect(text).not.toContain('evil');
    expect(text).not.toContain('https');
  });
});

test('the operational endpoints have one path each', async () => {
  for (const path of ['/v1/metrics', '/metrics/', '/v1/healthz']) {
    expect([path, (await ask(path, null)).status]).toEqual([path, 404]);
  }
  expect((await ask('/healthz', CHAT)).status).toBe(405);
});
