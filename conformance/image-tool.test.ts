import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { clientKey } from './first-light/upstream.ts';
import { asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * OpenAI's hosted `image_generation` tool for prepaid accounts: an image model draws within the response of another model, and both are reserved
 * and charged at their own prices.
 */

const USAGE = { input_tokens: 3_000, output_tokens: 200, total_tokens: 3_200 };
const TEXT_NANO_USD = 3_000n * 1_000n + 200n * 1_000n;
/** Prices of gpt-image-1.5 in nano-USD per token: image output, text input, image input. */
const [IMAGE_OUT, TEXT_IN, IMAGE_IN] = [32_000n, 5_000n, 8_000n];
const REPORTED = {
  image_gen: {
    ...{ input_tokens: 240, input_tokens_details: { image_tokens: 200, text_tokens: 40 }, total_tokens: 1_296 },
    ...{ output_tokens: 1_056, output_tokens_details: { image_tokens: 1_056, text_tokens: 0 } },
  },
};
const DRAWN_NANO_USD = 40n * TEXT_IN + 200n * IMAGE_IN + 1_056n * IMAGE_OUT;
/** The response shows an image of medium quality, drawn from a prompt of 40 bytes. */
const SHOWN_NANO_USD = 10n * TEXT_IN + 1_056n * IMAGE_OUT;
const TOOL = { type: 'image_generation', model: 'gpt-image-1.5', size: '1024x1024', quality: 'medium' };

const IMAGE = {
  ...{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aW1hZ2U=', output_format: 'png' },
  ...{ size: '1024x1024', quality: 'medium', revised_prompt: 'A cat in a hat, drawn with a few lines.'.padEnd(40) },
};
const MESSAGE = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'Here it is.', annotations: [], logprobs: [] }],
};

const managementToken = (id: string) => `mt-image-tool-of-${id}`.padEnd(32, '0');

let upstream: ReturnType<typeof Bun.serve>;
let space: Workspace;
let serving: Serving;
let received: Readonly<Record<string, unknown>>[] = [];
/** Members of the upstream's response. */
let answered: object = {};
/** Whether the upstream's stream ends after the image, without usage. */
let isCut = false;

function response(model: unknown, status: string) {
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, status, model, error: null },
    ...(status === 'completed' ? { output: [IMAGE, MESSAGE], usage: USAGE, ...answered } : { output: [], usage: null }),
  };
}

function streamOf(model: unknown): Response {
  const events = [
    { type: 'response.created', response: response(model, 'in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: { ...IMAGE, status: 'in_progress', result: null } },
    { type: 'response.output_item.done', output_index: 0, item: IMAGE },
    { type: 'response.output_item.done', output_index: 1, item: MESSAGE },
    ...(isCut ? [] : [{ type: 'response.completed', response: response(model, 'completed') }]),
  ];
  const text = events.map((event, at) => {
    return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`;
  });
  return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const body = asObject(await request.json());
      received.push(body);
      return body.stream === true ? streamOf(body.model) : Response.json(response(body.model, 'completed'));
    },
  });
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        ...{ id: 'openai', name: 'OpenAI', provider: 'openai', api_key: 'sk-up', formats: ['openai-responses'] },
        ...{ base_url: `http://127.0.0.1:${upstream.port}/v1`, models: { drawer: 'gpt-5' } },
      },
    ],
    models: [
      { id: 'drawer', pricing: { input_per_1m: '1', output_per_1m: '1' } },
      { id: 'gpt-image-2', status: 'hidden' },
      // No channel serves this model, and the catalog has no prices for it.
      { id: 'gpt-image-1', pricing: { input_per_1m: '5', image_output_per_1m: '40' } },
    ],
    accounts: ['rich', 'poor', 'listed'].map((id) => ({
      ...{ id, name: id, role: 'VIP', balance_usd: id === 'poor' ? '0.1' : '10' },
      keys: [{ id, name: id, secret: clientKey(`image-${id}`), ...(id === 'listed' && { models: ['drawer'] }) }],
      management_tokens: [{ id: `own-${id}`, secret: managementToken(id) }],
    })),
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});

beforeEach(() => {
  received = [];
  answered = { tool_usage: REPORTED };
  isCut = false;
});

afterAll(async () => {
  await space?.remove();
  upstream?.stop(true);
});

const ANSWER = { input: 'Draw a cat.', max_output_tokens: 100 };

async function ask(account: string, members: object) {
  const response = await fetch(`${serving.baseUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(`image-${account}`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'drawer', ...ANSWER, ...members }),
  });
  return { id: response.headers.get('x-request-id') ?? '', status: response.status, text: await response.text() };
}

interface Story {
  readonly cost_usd: string | null;
  readonly usage: { readonly source: string };
  readonly price: { readonly total_usd: string; readonly parts: readonly Readonly<Record<string, unknown>>[] };
}

/** Reads the request log row of a request by the account `rich`. */
async function storyOf(id: string): Promise<Story> {
  let story: Story | null = null;
  await until('the request is in the log', async () => {
    const response = await fetch(`${serving.baseUrl}/management/requests/${id}`, {
      headers: { authorization: `Bearer ${managementToken('rich')}` },
    });
    if (response.status === 200) story = (await response.json()) as Story;
    else await response.body?.cancel();
    return story !== null;
  });
  return story ?? expect.unreachable();
}

const usd = (nanoUsd: bigint) => (Number(nanoUsd) / 1e9).toFixed(9).replace(/0+$/, '');

/** The model does not support temperature, which forces a translation. */
const TRANSLATED = { temperature: 0.3 };

const LANES = [
  ['relayed', {}],
  ['relayed as a stream', { stream: true }],
  ['translated', TRANSLATED],
  ['translated as a stream', { ...TRANSLATED, stream: true }],
] as const;

test.each(LANES)('an image tool is charged at the prices of the image model, %s', async (_, more) => {
  const { id, status } = await ask('rich', { tools: [TOOL], ...more });
  expect(status).toBe(200);
  const { cost_usd, price, usage } = await storyOf(id);
  expect(cost_usd).toBe(usd(TEXT_NANO_USD + DRAWN_NANO_USD));
  expect(usage.source).toBe('reported');
  expect(received[0]?.temperature).toBeUndefined();
  expect(price.parts).toContainEqual({
    ...{ kind: 'usage', unit: 'image_output_token', variant: 'image_generation', amount: 1_056 },
    ...{ amount_usd: usd(1_056n * IMAGE_OUT), unit_price_usd: '32', per: 1_000_000 },
  });
  expect(price.parts.map(({ kind }) => kind)).not.toContain('rounding');
});

test.each(LANES)('an image without reported tokens is charged by its size and quality, %s', async (_, more) => {
  answered = {};
  const { id, status } = await ask('rich', { tools: [TOOL], ...more });
  expect(status).toBe(200);
  const { cost_usd, usage } = await storyOf(id);
  expect(cost_usd).toBe(usd(TEXT_NANO_USD + SHOWN_NANO_USD));
  expect(usage.source).toBe('estimated');
});

test.each([
  ['a whole response without usage', {}],
  ['a translated response without usage', TRANSLATED],
  ['a stream that breaks off', { stream: true }],
  ['a translated stream that breaks off', { ...TRANSLATED, stream: true }],
] as const)('%s is charged for the image that it returned', async (_, more) => {
  answered = { usage: null };
  isCut = true;
  const { id } = await ask('rich', { tools: [TOOL], ...more });
  expect((await storyOf(id)).price.parts).toContainEqual({
    ...{ kind: 'usage', unit: 'image_output_token', variant: 'image_generation', amount: 1_056 },
    ...{ amount_usd: usd(1_056n * IMAGE_OUT), unit_price_usd: '32', per: 1_000_000 },
  });
});

test.each([{ ...TOOL, model: 'gpt-image-1' }, { type: 'image_generation' }])(
  'the prices that an operator sets for an image model apply: %j',
  async (tool) => {
    const { id } = await ask('rich', { tools: [tool] });
    expect((await storyOf(id)).price.parts).toContainEqual(
      expect.objectContaining({ unit: 'image_output_token', unit_price_usd: '40', amount_usd: usd(1_056n * 40_000n) }),
    );
  },
);

test('a model that an operator hides cannot draw', async () => {
  expect((await ask('rich', { tools: [{ ...TOOL, model: 'gpt-image-2' }] })).status).toBe(403);
  expect(received).toEqual([]);
});

test('a tool that draws nothing costs nothing', async () => {
  answered = { output: [MESSAGE] };
  const { id } = await ask('rich', { tools: [TOOL] });
  expect((await storyOf(id)).cost_usd).toBe(usd(TEXT_NANO_USD));
});

test('the balance must cover the most that the allowed number of calls can draw', async () => {
  const refused = await ask('poor', { tools: [TOOL] });
  expect(refused.status).toBe(402);
  expect(refused.text).toContain('insufficient_balance');
  expect(received).toEqual([]);
  expect((await ask('poor', { tools: [{ ...TOOL, quality: 'low' }], max_tool_calls: 1 })).status).toBe(200);
});

test('a key cannot draw with a model outside its allow-list', async () => {
  const { status, text } = await ask('listed', { tools: [TOOL] });
  expect(status).toBe(403);
  expect(text).toContain('gpt-image-1.5');
  expect(received).toEqual([]);
});
