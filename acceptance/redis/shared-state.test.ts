import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';

/*
 * Two gateways that share a Redis and alternate between the turns of a conversation: which channel each turn goes to, with and without
 * Redis. `agent-loops.test.ts` tests the state that models get back.
 */

setDefaultTimeout(600_000);

const CONVERSATIONS = 8;

/** The usual wait if Redis is silent, and a hundred times as long if it is only late. */
let patience = 100;
const redisPatience = () => patience;

let redis: RedisServer;
let upstream: ReturnType<typeof Bun.serve>;
let nodes: readonly Gateway[] = [];
type JsonObject = ReturnType<typeof asObject>;

/** Requests received by each channel. */
let asked: { readonly channel: string; readonly body: JsonObject }[] = [];
let answers = 0;

beforeAll(async () => {
  redis = await RedisServer.start();
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answered });
  const channel = (id: string, provider: string, format: string, model: string) => ({
    ...{ id, name: id, provider, api_key: `key-of-${id}`, formats: [format], models: { [model]: `upstream-${model}` } },
    base_url: `http://127.0.0.1:${upstream.port}/${id}`,
  });
  const channels = [
    channel('org-a', 'openai', 'openai-responses', 'reasoner'),
    channel('org-b', 'openai', 'openai-responses', 'reasoner'),
    channel('cache-a', 'openai-compatible', 'openai-chat', 'chatter'),
    channel('cache-b', 'openai-compatible', 'openai-chat', 'chatter'),
    channel('gemini', 'google', 'gemini', 'thinker'),
  ];
  const environment = { REDIS_URL: redis.url, SWITCHYARD_SECRET: 'the secret that both nodes have' };
  nodes = await Promise.all([1, 2].map(() => startGatewayWith(channels, {}, environment, { redisPatience })));
});

beforeEach(() => {
  asked = [];
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await upstream?.stop(true);
  await redis?.stop();
});

/** Responds like an organisation that accepts only its own reasoning. */
async function answered(request: Request): Promise<Response> {
  // The gateway probes which server this is.
  if (request.method !== 'POST') return new Response(null, { status: 404 });
  const channel = new URL(request.url).pathname.split('/')[1] ?? '';
  const body = asObject(await request.json());
  asked.push({ channel, body });
  const id = `${channel}-${++answers}`;
  if (channel === 'gemini') {
    const functionCall = { name: 'look', args: {} };
    const content = { role: 'model', parts: [{ functionCall, thoughtSignature: btoa(`signature ${answers}`) }] };
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 };
    return Response.json({ candidates: [{ content, index: 0, finishReason: 'STOP' }], usageMetadata });
  }
  if (channel.startsWith('cache')) {
    const message = { role: 'assistant', content: `Answer ${id}.` };
    const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
    return Response.json({
      id,
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    });
  }
  const foreign = itemsOf(body).some((item) => item.type === 'reasoning' && item.encrypted_content !== `of ${channel}`);
  if (foreign)
    return Response.json({ error: { message: 'not ours', code: 'invalid_encrypted_content' } }, { status: 400 });
  const reasoning = { id: `rs_${id}`, type: 'reasoning', summary: [], encrypted_content: `of ${channel}` };
  const content = [{ type: 'output_text', text: `Answer ${id}.`, annotations: [] }];
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
  const output = [reasoning, message];
  return Response.json({
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output,
    usage,
  });
}

function itemsOf({ input }: JsonObject): readonly JsonObject[] {
  return Array.isArray(input) ? input.map(asObject) : [];
}

/** Sends the request to the node whose turn it is, another one each time. */
async function ask(turn: number, path: string, body: object, headers = {}): Promise<JsonObject> {
  const node = nodes[turn % nodes.length] ?? expect.unreachable();
  const response = await fetch(`${node.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${node.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = asObject(await response.json());
  expect(answer).not.toHaveProperty('error');
  expect(response.status).toBe(200);
  return answer;
}

/** Sends a request that has nothing but its session in common with others; resolves to the channel that got it. */
async function inSession(session: string, turn: number): Promise<string> {
  asked = [];
  const body = { model: 'chatter', messages: [{ role: 'user', content: crypto.randomUUID() }] };
  await ask(turn, '/v1/chat/completions', body, { 'x-session-id': session });
  return asked[0]?.channel ?? expect.unreachable();
}

describe('two gateways that alternate', () => {
  test('send encrypted reasoning back to the organisation that issued it, unchanged', async () => {
    const issuers = new Set<string>();
    for (let conversation = 0; conversation < CONVERSATIONS; conversation++) {
      asked = [];
      let input: unknown[] = [{ role: 'user', content: `Question ${conversation}` }];
      for (let turn = 0; turn < 3; turn++) {
        const body = { model: 'reasoner', store: false, include: ['reasoning.encrypted_content'], input };
        const answer = await ask(turn + conversation, '/v1/responses', body);
        input = [...input, ...asArray(answer.output), { role: 'user', content: 'Go on.' }];
      }
      const [first] = asked;
      issuers.add(first?.channel ?? '');
      expect(asked.map(({ channel }) => channel)).toEqual(Array(3).fill(first?.channel));
      const thoughts = itemsOf(asked[2]?.body ?? {}).filter(({ type }) => type === 'reasoning');
      expect(thoughts.map((item) => item.encrypted_content)).toEqual(Array(2).fill(`of ${first?.channel}`));
    }
    expect(issuers.size).toBe(2);
  });

  test('send a long conversation to the channel that has it in its cache', async () => {
    const channels = new Set<string>();
    for (let conversation = 0; conversation < CONVERSATIONS; conversation++) {
      asked = [];
      const messages: unknown[] = [
        { role: 'user', content: `Conversation ${conversation}. ${'A long text. '.repeat(500)}` },
      ];
      for (let turn = 0; turn < 4; turn++) {
        const answer = await ask(turn + conversation, '/v1/chat/completions', { model: 'chatter', messages });
        messages.push(asObject(asObject(asArray(answer.choices)[0]).message), { role: 'user', content: 'Go on.' });
      }
      const [first] = asked;
      channels.add(first?.channel ?? '');
      expect(asked.map(({ channel }) => channel)).toEqual(Array(4).fill(first?.channel));
    }
    expect(channels.size).toBe(2);
  });

  test('send the requests of a session to the channel of its last response', async () => {
    const channels = new Set<string>();
    for (let number = 0; number < CONVERSATIONS; number++) {
      const channel = await inSession(`session-${number}`, number);
      channels.add(channel);
      for (let turn = 1; turn < 4; turn++) expect(await inSession(`session-${number}`, number + turn)).toBe(channel);
    }
    expect(channels.size).toBe(2);
  });

  test('respond without shared state while Redis hangs, and with it afterwards', async () => {
    const question = { role: 'user', content: 'Look.' };
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const first = await ask(0, '/v1/chat/completions', { model: 'thinker', messages: [question], tools });
    const [call] = asArray(asObject(asObject(asArray(first.choices)[0]).message).tool_calls).map(asObject);
    const { id, type, function: called } = call ?? expect.unreachable();
    // The message of a client that rebuilds its history without the signature.
    const messages = [
      question,
      { role: 'assistant', content: null, tool_calls: [{ id, type, function: called }] },
      { role: 'tool', tool_call_id: id, content: 'Seen.' },
    ];
    const signature = btoa(`signature ${answers}`);
    const isRestored = async (turn: number) => {
      asked = [];
      await ask(turn, '/v1/chat/completions', { model: 'thinker', messages, tools });
      return JSON.stringify(asked[0]?.body).includes(signature);
    };
    const sessions = new Map<string, string>();
    for (const session of ['a', 'b', 'c']) {
      sessions.set(session, await inSession(session, 0));
      await inSession(session, 1);
    }
    redis.pause();
    patience = 1;
    expect(await isRestored(1)).toBe(false);
    // The node that issued it has it.
    expect(await isRestored(0)).toBe(true);
    for (const [session, channel] of sessions) {
      for (const turn of [0, 1]) expect(await inSession(session, turn)).toBe(channel);
    }
    redis.resume();
    patience = 100;
    await until('the other node has the state', () => isRestored(1));
    for (const node of nodes) {
      expect(node.output().match(/conversation state cannot be shared/g) ?? []).toHaveLength(1);
    }
  });
});
