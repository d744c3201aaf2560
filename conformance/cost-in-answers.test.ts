import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { type LogRow, nano, sqliteQuery } from './money/books.ts';
import { expectToldCost, toldCostIn } from './money/told-cost.ts';
import { asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import { tone } from './transcripts/bed.ts';

/* The cost that answers tell, for all operations; the sandbox answers. `money/policy.test.ts` has it for all cases of texts. */

const KEY = clientKey('acme');
/** No price is round, so a mistake shows. */
const PRICES = {
  input_per_1m: '0.3713',
  output_per_1m: '1.1117',
  reasoning_per_1m: '1.7',
  ...{
    per_request: '0.000000213',
    per_character: '0.000013',
    per_second: '0.00011',
    per_image: '0.0411',
    per_clip: '0.3',
  },
};
const MODELS = [
  ...[
    'chat',
    'reasoning',
    'moderation',
    'embedding',
    'rerank',
    'image',
    'speech',
    'transcription',
    'video',
    'slow-image',
  ],
].map((name) => `sandbox-${name}`);

let space: Workspace;
let serving: Serving;
let recording: File;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration({}));
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
  recording = await tone('wav');
}, 600_000);
afterAll(async () => {
  await space?.remove();
});

function configuration(routing: object): object {
  return {
    channels: [{ id: 'sandbox', provider: 'sandbox', models: MODELS }],
    models: MODELS.map((id) => ({ id, pricing: PRICES })),
    accounts: [accountWith('acme', [keyNamed('acme')], { requests_per_minute: 100_000 })],
    tasks: { poll_interval_ms: 10 },
    routing,
  };
}

interface Asked {
  readonly path: string;
  readonly body: object | FormData;
}

async function ask({ path, body }: Asked) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${serving.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Resolves to the cost in the request log. */
async function booked(headers: Headers): Promise<bigint | null> {
  const id = headers.get('x-request-id');
  const sql = `SELECT * FROM request_log WHERE request_id = '${id}'`;
  let rows: readonly LogRow[] = [];
  await until('the request is logged', async () => {
    rows = await sqliteQuery(space.database)<LogRow>(sql);
    return rows.length > 0;
  });
  return rows[0]?.cost_nano ?? null;
}

function form(fields: Readonly<Record<string, string>>): FormData {
  const made = new FormData();
  made.set('file', recording);
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

const messages = [{ role: 'user' as const, content: 'Hello!' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello!' }] }];
const chat = { model: 'sandbox-chat', messages };
const transcription = { model: 'sandbox-transcription' };

const OPERATIONS: Readonly<Record<string, () => Asked>> = {
  chat: () => ({ path: '/v1/chat/completions', body: chat }),
  'chat, streamed': () => ({ path: '/v1/chat/completions', body: { ...chat, stream: true } }),
  'reasoning, streamed': () => ({
    path: '/v1/chat/completions',
    body: { ...chat, model: 'sandbox-reasoning', stream: true },
  }),
  completions: () => ({ path: '/v1/completions', body: { model: 'sandbox-chat', prompt: 'Hello' } }),
  responses: () => ({ path: '/v1/responses', body: { model: 'sandbox-chat', input: 'Hello!' } }),
  'responses, streamed': () => ({
    path: '/v1/responses',
    body: { model: 'sandbox-chat', input: 'Hello!', stream: true },
  }),
  messages: () => ({ path: '/v1/messages', body: { ...chat, max_tokens: 100 } }),
  'messages, streamed': () => ({ path: '/v1/messages', body: { ...chat, max_tokens: 100, stream: true } }),
  gemini: () => ({ path: '/v1beta/models/sandbox-chat:generateContent', body: { contents } }),
  'gemini, streamed': () => ({
    path: '/v1beta/models/sandbox-chat:streamGenerateContent?alt=sse',
    body: { contents },
  }),
  embeddings: () => ({ path: '/v1/embeddings', body: { model: 'sandbox-embedding', input: 'Hello!' } }),
  rerank: () => ({ path: '/v1/rerank', body: { model: 'sandbox-rerank', query: 'a', documents: ['a', 'b'] } }),
  moderations: () => ({ path: '/v1/moderations', body: { model: 'sandbox-moderation', input: 'Hello!' } }),
  images: () => ({ path: '/v1/images/generations', body: { model: 'sandbox-image', prompt: 'a fox' } }),
  'images, streamed': () => ({
    path: '/v1/images/generations',
    body: { model: 'sandbox-image', prompt: 'a fox', stream: true },
  }),
  'speech events': () => ({
    path: '/v1/audio/speech',
    body: { model: 'sandbox-speech', input: 'Hello there', voice: 'alloy', stream_format: 'sse' },
  }),
  transcriptions: () => ({ path: '/v1/audio/transcriptions', body: form(transcription) }),
  'transcriptions, streamed': () => ({
    path: '/v1/audio/transcriptions',
    body: form({ ...transcription, stream: 'true' }),
  }),
};

describe('the cost in the answer is that of the request log', () => {
  for (const [name, asked] of Object.entries(OPERATIONS)) {
    test(name, async () => {
      const answer = await ask(asked());
      expect(answer.status).toBe(200);
      const cost = await booked(answer.headers);
      expect(cost).toBeGreaterThan(0n);
      expectToldCost(answer, cost);
    });
  }

  test('counted tokens cost nothing', async () => {
    const answer = await ask({ path: '/v1/messages/count_tokens', body: chat });
    expectToldCost(answer, 0n);
  });

  test('a transcript as text has it in the headers only', async () => {
    const answer = await ask({
      path: '/v1/audio/transcriptions',
      body: form({ ...transcription, response_format: 'text' }),
    });
    const total = answer.headers.get('x-switchyard-cost') ?? '';
    expect(nano(total)).toBe((await booked(answer.headers)) ?? 0n);
    expect(asObject(asObject(parseJson(answer.headers.get('x-routing') ?? '')).cost).total_usd).toBe(total);
    expect(answer.body).not.toContain('_routing');
  });

  test('streamed audio does not tell it, and the bytes are only audio', async () => {
    const answer = await ask({
      path: '/v1/audio/speech',
      body: { model: 'sandbox-speech', input: 'Hello there', voice: 'alloy' },
    });
    expect([answer.status, answer.headers.get('x-switchyard-cost')]).toEqual([200, null]);
    expect(answer.body).not.toContain('total_usd');
  });

  test('a task tells it when it has ended', async () => {
    const answer = await ask({ path: '/v1/videos/generations', body: { model: 'sandbox-video', prompt: 'a fox' } });
    const made = asObject(parseJson(answer.body));
    expect([answer.headers.get('x-switchyard-cost'), toldCostIn(answer)]).toEqual([null, undefined]);
    let cost: unknown;
    await until('the task has ended', async () => {
      const response = await fetch(`${serving.origin}${String(made.poll_url)}`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      const task = asObject(await response.json());
      cost = asObject(task._routing).cost;
      expect(cost === undefined).toBe(task.ended === undefined);
      return task.status === 'completed';
    });
    expect(nano(String(asObject(cost).total_usd))).toBe((await booked(answer.headers)) ?? 0n);
  });
});

test('a cached answer costs nothing, in every format', async () => {
  const body = { ...chat, messages: [{ role: 'user', content: 'A question for the cache' }], seed: 7 };
  for (const stream of [false, true]) {
    await ask({ path: '/v1/chat/completions', body });
    const answer = await ask({ path: '/v1/chat/completions', body: { ...body, stream } });
    expect(answer.body).toContain('"cached":true');
    expectToldCost(answer, 0n);
  }
});

describe("OpenRouter's usage option", () => {
  const include = { usage: { include: true } };
  const CASES: Readonly<Record<string, Asked>> = {
    chat: { path: '/v1/chat/completions', body: { ...chat, ...include } },
    'chat, streamed': { path: '/v1/chat/completions', body: { ...chat, ...include, stream: true } },
    responses: { path: '/v1/responses', body: { model: 'sandbox-chat', input: 'Hello!', ...include } },
    'chat at its own address': { path: '/api/v1/chat/completions', body: chat },
    'chat at its own address, streamed': { path: '/api/v1/chat/completions', body: { ...chat, stream: true } },
    'responses, streamed': {
      path: '/v1/responses',
      body: { model: 'sandbox-chat', input: 'Hello!', ...include, stream: true },
    },
  };

  for (const [name, asked] of Object.entries(CASES)) {
    test(`adds the cost to the usage (${name})`, async () => {
      const answer = await ask(asked);
      const cost = await booked(answer.headers);
      expectToldCost(answer, cost);
      expect(answer.headers.get('x-switchyard-losses') ?? '').not.toContain('usage');
      const last =
        answer.body
          .split('\n')
          .findLast((line) => line.includes('_routing'))
          ?.replace(/^data: /, '') ?? '';
      const object = asObject(parseJson(last));
      const usage = asObject(object.usage ?? asObject(object.response).usage);
      expect(BigInt(Math.round(Number(usage.cost) * 1e9))).toBe(cost ?? 0n);
      const details = asObject(usage.cost_details);
      const parts = name.startsWith('responses') ? ['input', 'output'] : ['prompt', 'completions'];
      const [input, output] = parts.map((part) => Number(details[`upstream_inference_${part}_cost`]));
      expect(Math.round((Number(input) + Number(output)) * 1e9)).toBe(Number(cost));
      // The SDK of OpenRouter refuses `"usage": null` in a chunk.
      if (name.startsWith('chat')) expect(answer.body).not.toContain('"usage":null');
    });
  }

  test("is sent by OpenAI's SDK as a further member of the body, like fallback models", async () => {
    const client = new OpenAI({ baseURL: serving.baseUrl, apiKey: KEY, maxRetries: 0 });
    const more = { ...include, models: ['sandbox-reasoning'], route: 'fallback' };
    const whole = await client.chat.completions.create({ ...chat, ...more });
    expect(whole).toMatchObject({ model: 'sandbox-chat', usage: { cost: expect.any(Number), is_byok: false } });
    const chunks: unknown[] = [];
    const streamed = { ...chat, ...more, stream: true as const };
    for await (const chunk of await client.chat.completions.create(streamed)) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { cost: expect.any(Number) } });
  });

  test('is not a question that the client did not ask', async () => {
    const answer = await ask({ path: '/v1/chat/completions', body: { ...chat, stream: true } });
    expect(answer.body).not.toContain('prompt_tokens');
  });
});

test('a gateway with the setting off tells no cost', async () => {
  const other = await Workspace.create();
  try {
    const SWITCHYARD_CONFIG = await other.write('switchyard.yaml', configuration({ cost_in_answers: false }));
    const quiet = await other.serve({ env: { SWITCHYARD_CONFIG } });
    for (const stream of [false, true]) {
      const { headers, text } = await quiet.chat(KEY, { ...chat, stream, usage: { include: true } });
      expect(headers.get('x-switchyard-cost')).toBeNull();
      expect(text).toContain('_routing');
      expect(text).toContain('"usage"');
      expect(text).not.toContain('cost');
    }
  } finally {
    await other.remove();
  }
});
