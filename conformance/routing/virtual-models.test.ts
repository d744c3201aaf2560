import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chatAnswer, type FakeUpstream, startUpstream } from '../first-light/upstream.ts';
import { type Answer, answerOf, chatBody } from '../shared/answer.ts';
import { type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from '../shared/gateway.ts';

const VIP_KEY = 'sk-vip-of-these-tests-0000000001';
const AUTO_KEY = 'sk-auto-only-of-these-tests-00001';
const DISALLOWED_KEY = 'sk-small-only-of-these-tests-0001';
const MODELS = ['small', 'big', 'seeing', 'tooled', 'thinking', 'legacy', 'successor'];
const long = 'A sentence of the long document. '.repeat(500);
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

let upstream: FakeUpstream;
let gateway: Gateway;

beforeAll(async () => {
  upstream = startUpstream((request) =>
    request.path.endsWith('/embeddings')
      ? Response.json({
          object: 'list',
          model: request.model,
          data: [{ object: 'embedding', index: 0, embedding: [1] }],
          usage: { prompt_tokens: 1, total_tokens: 1 },
        })
      : chatAnswer(request),
  );
  const channel = {
    ...{ id: 'main', name: 'Main', provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: 'upstream-key' },
    models: Object.fromEntries([...MODELS, 'vectors-a', 'vectors-b'].map((id) => [id, id])),
  };
  gateway = await startGatewayWith([channel], {
    models: [
      {
        id: 'auto',
        rules: [
          { name: 'gone', when: { stream: false }, model: 'not-served' },
          { name: 'pictures', when: { images: true }, model: 'seeing' },
          { name: 'long', when: { input_tokens: { min: 2000 } }, model: 'big' },
          { when: { tools: true }, model: 'tooled' },
          { when: { reasoning_effort: ['high', 'max'] }, model: 'thinking' },
          { when: { tags: ['team=night'] }, model: 'moving' },
          { when: { roles: ['VIP'], formats: ['gemini'] }, model: 'big' },
          { model: 'small' },
        ],
      },
      {
        id: 'moving',
        rules: [{ when: { share: { percent: 50, by: 'session' } }, model: 'successor' }, { model: 'legacy' }],
      },
      {
        id: 'moving-all',
        rules: [{ when: { share: { percent: 50, by: 'account' } }, model: 'successor' }, { model: 'legacy' }],
      },
      { id: 'legacy', rules: [{ when: { tags: ['beta=*'] }, model: 'successor' }, { model: 'legacy' }] },
      { id: 'vectors', rules: [{ when: { roles: ['VIP'] }, model: 'vectors-b' }, { model: 'vectors-a' }] },
      { id: 'vectors-a', category: 'embedding' },
      { id: 'vectors-b', category: 'embedding' },
      { id: 'seeing', status: 'hidden', pricing: { input_per_1m: '2', output_per_1m: '4' } },
      {
        id: 'small',
        pricing: { input_per_1m: '1', output_per_1m: '1' },
        capabilities: { context: 100_000, input: ['text'], output: ['text'] },
      },
      { id: 'big', capabilities: { context: 8000, input: ['text'], output: ['text'] } },
      { id: 'held', status: 'hold', rules: [{ model: 'small' }] },
    ],
    accounts: [
      {
        ...{ id: 'user', name: 'User', role: 'User', billing: 'unlimited' },
        keys: [
          { id: 'vip', name: 'All', secret: VIP_KEY },
          { id: 'auto', name: 'Auto', secret: AUTO_KEY, models: ['auto'] },
          { id: 'small', name: 'Small', secret: DISALLOWED_KEY, models: ['small'] },
        ],
      },
    ],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});
beforeEach(() => {
  (upstream.requests as unknown[]).length = 0;
});

async function send(
  path: string,
  body: object,
  headers: Record<string, string> = {},
  key = gateway.apiKey,
): Promise<Answer> {
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  };
  return answerOf(await fetch(`${gateway.origin}${path}`, { ...init, body: JSON.stringify(body) }));
}

const chat = (body: object, headers: Record<string, string> = {}, key = gateway.apiKey) =>
  send('/v1/chat/completions', body, headers, key);
const askedModels = () => upstream.requests.map(({ model }) => model);

describe('a virtual model', () => {
  test.each<[string, object, Record<string, string>, string]>([
    ['a short prompt', {}, {}, 'small'],
    ['a long prompt', { messages: [{ role: 'user', content: long }] }, {}, 'big'],
    ['a picture', { messages: [{ role: 'user', content: [image] }] }, {}, 'seeing'],
    ['tools', { tools: [tool] }, {}, 'tooled'],
    ['an effort', { reasoning_effort: 'high' }, {}, 'thinking'],
  ])('leads %s to its model, and the answer names it', async (_name, extra, headers, model) => {
    const answer = await chat(chatBody('auto', extra), headers);
    expect(answer.status).toBe(200);
    expect(answer.json.model).toBe(model);
    expect(askedModels()).toEqual([model]);
    const { modelSteps } = answer.json._routing as { modelSteps: object[] };
    expect(modelSteps).toMatchObject([{ kind: 'rule', from: 'auto', to: model }]);
  });

  test('works in all formats, and for streams', async () => {
    const parts = [{ role: 'user', parts: [{ text: long }] }];
    const answers = [
      await send('/v1/responses', { model: 'auto', input: long }),
      await send('/v1/messages', { model: 'auto', max_tokens: 50, messages: [{ role: 'user', content: long }] }),
      await send('/v1beta/models/auto:generateContent', { contents: parts }),
      await send('/v1beta/models/auto:streamGenerateContent?alt=sse', { contents: parts }),
      await chat(chatBody('auto', { stream: true, messages: [{ role: 'user', content: long }] })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(askedModels()).toEqual(['big', 'big', 'big', 'big', 'big']);
  });

  test('counts the turns of a stored conversation', async () => {
    const first = await send('/v1/responses', { model: 'small', input: long });
    const next = await send('/v1/responses', { model: 'auto', input: 'Go on.', previous_response_id: first.json.id });
    expect(next.status).toBe(200);
    expect(askedModels()).toEqual(['small', 'big']);
  });

  test('leads embeddings by role', async () => {
    await send('/v1/embeddings', { model: 'vectors', input: 'text' });
    await send('/v1/embeddings', { model: 'vectors', input: 'text' }, {}, VIP_KEY);
    expect(askedModels()).toEqual(['vectors-b', 'vectors-a']);
  });

  test('may lead to its own channels', async () => {
    await chat(chatBody('legacy'));
    await chat(chatBody('legacy'), { 'x-switchyard-tags': 'beta=yes' });
    expect(askedModels()).toEqual(['legacy', 'successor']);
  });

  test('is charged as the model that answers', async () => {
    const answer = await chat(chatBody('auto', { messages: [{ role: 'user', content: [image] }] }));
    const id = String(answer.headers.get('x-request-id'));
    const shown = await fetch(`${gateway.origin}/v1/management/requests/${id}`, {
      headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}` },
    });
    // 11 × $2 and 7 × $4 a million.
    expect(await shown.json()).toMatchObject({ requested_model: 'auto', model: 'seeing', cost_usd: '0.00005' });
  });
});

describe('the list of a key', () => {
  test('applies to the virtual model, and not to its targets', async () => {
    expect((await chat(chatBody('auto', { tools: [tool] }), {}, AUTO_KEY)).status).toBe(200);
    expect((await chat(chatBody('tooled'), {}, AUTO_KEY)).error.code).toBe('model_not_allowed');
    expect((await chat(chatBody('auto'), {}, DISALLOWED_KEY)).error.code).toBe('model_not_allowed');
  });

  test('a hidden target and a held virtual model cannot be named', async () => {
    expect((await chat(chatBody('seeing'))).status).toBe(404);
    expect((await chat(chatBody('held'))).status).toBe(404);
  });
});

describe('a share', () => {
  const turns = (name: string, count: number) => {
    const messages = [{ role: 'user', content: `Question 1 of ${name}` }];
    for (let turn = 2; turn <= count; turn++) {
      messages.push({ role: 'assistant', content: `Answer ${turn}` }, { role: 'user', content: `Question ${turn}` });
    }
    return { model: 'moving', messages };
  };

  test('keeps a conversation on its side, and has conversations on both', async () => {
    const sides = new Map<string, Set<unknown>>();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      const seen = new Set<unknown>();
      for (const count of [1, 2, 3]) seen.add((await chat(turns(name, count))).json.model);
      sides.set(name, seen);
    }
    for (const seen of sides.values()) expect(seen.size).toBe(1);
    expect(new Set([...sides.values()].flatMap((seen) => [...seen])).size).toBe(2);
  });

  test('keeps a stored conversation on its side', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const models = new Set<unknown>();
      let previous: unknown;
      for (const turn of [1, 2, 3]) {
        const input = `Turn ${turn} of ${name}`;
        const { json } = await send('/v1/responses', { model: 'moving', input, previous_response_id: previous });
        previous = json.id;
        models.add(json.model);
      }
      expect(models.size).toBe(1);
    }
  });

  test('keeps a session on its side whatever it says', async () => {
    for (const session of ['s1', 's2', 's3']) {
      const models = new Set<unknown>();
      for (const name of ['x', 'y', 'z'])
        models.add((await chat({ ...turns(name, 1), session_id: session })).json.model);
      expect(models.size).toBe(1);
    }
  });

  test('by account is not chosen by the ids that a client sends', async () => {
    const models = new Set<unknown>();
    for (let index = 0; index < 12; index++) {
      const body = chatBody('moving-all', { user: `user-${index}`, session_id: `s-${index}` });
      models.add((await chat(body, { 'x-switchyard-tags': `n=${index}` })).json.model);
    }
    expect(models.size).toBe(1);
  });
});

describe('the lists of models', () => {
  test('have virtual models with the facts of the default and the smallest context', async () => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const list = await answerOf(await fetch(`${gateway.origin}/v1/models`, { headers }));
    const ids = (list.json.data as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain('auto');
    expect(ids).toContain('vectors');
    expect(ids).not.toContain('seeing');
    expect(ids).not.toContain('held');
    const one = await answerOf(await fetch(`${gateway.origin}/v1/models/auto`, { headers }));
    expect(JSON.stringify(one.json)).toContain('8000');
    const pricing = await answerOf(await fetch(`${gateway.origin}/v1/pricing?model=auto`, { headers }));
    expect(JSON.stringify(pricing.json)).toContain('"1"');
  });
});
