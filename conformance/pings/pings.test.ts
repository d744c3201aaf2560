import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { LANES, type Lane } from '../disconnect/bed.ts';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery } from '../money/books.ts';
import { TERMINAL } from '../money/client.ts';
import { WORD } from '../money/wire-answers.ts';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS, open } from '../routing/client.ts';
import { parseJson } from '../shared/json.ts';
import { until } from '../shared/until.ts';
import { type Patience, PING, Silences } from './silences.ts';

/*
 * Streams whose upstream is silent for longer than the ping interval: before its first event, and between two
 * events.
 */

const WORDS = 2;

const TRANSLATED: Readonly<Record<ClientFormat, ClientFormat>> = {
  'openai-chat': 'anthropic-messages',
  'openai-responses': 'openai-chat',
  'anthropic-messages': 'gemini',
  gemini: 'openai-responses',
};

/** All scenes start together, because most of their time is spent waiting. */
const begun: (() => void)[] = [];
const silences = new Silences();

let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  const usage = { input: 7, output: WORDS };
  const { last } = silences;
  const afterWord = (words: number, body: string) => (words < WORDS ? last(body) : undefined);
  bed = await startMoneyBed({
    models: {
      late: { words: WORDS, usage, opens: last, pricing: 'free' },
      slow: { words: WORDS, usage, afterWord, pricing: 'free' },
      opening: { words: WORDS, usage, afterHead: last, pricing: 'free' },
      cut: {
        words: WORDS,
        usage,
        afterHead: last,
        cutAfter: 0,
        pricing: { output_per_1m: '1', per_request: '1' },
      },
      broken: { words: WORDS, usage, opens: last, refuses: 400, pricing: 'free' },
    },
    accounts: [{ id: 'waiter', balance_usd: '1000' }],
    settings: { server: { ping_interval_ms: 1_000 } },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
  for (const begin of begun) begin();
});

afterAll(async () => {
  await bed?.stop();
});

const over = (format: ClientFormat, lane: Lane, name: string) =>
  modelOver(lane === 'relay' ? format : TRANSLATED[format], name);

interface Heard {
  readonly status: number;
  readonly hasRouting: boolean;
  readonly pieces: readonly string[];
}

/** In these scenes an event precedes the silence. */
const AFTER_EVENTS = ['opening', 'cut', 'slow'];

const patienceIn = (scene: string, format: ClientFormat): Patience =>
  // Gemini clients get no event before the first text.
  AFTER_EVENTS.includes(scene) && (format !== 'gemini' || scene === 'slow') ? 'ping-after-event' : 'ping';

async function hear(format: ClientFormat, lane: Lane, scene: string): Promise<Heard> {
  const words = silences.newWords();
  const response = await open({
    ...{ origin: `http://127.0.0.1:${bed.port()}`, key: keyOf('waiter'), format, stream: true },
    ...{ model: over(format, lane, scene), turns: [words] },
  });
  const pieces = await Array.fromAsync(silences.heard(response, words, format, patienceIn(scene, format)));
  return { status: response.status, hasRouting: response.headers.has('x-routing'), pieces };
}

async function rowsOf(name: string) {
  return [...(await books.log([])).values()].filter(({ model_id }) => model_id?.includes(name));
}

/** Runs every case of a scene. */
function everyCase(
  scene: string,
  check: (format: ClientFormat, heard: Heard) => void,
  isCase = (_: ClientFormat) => true,
) {
  const cases = CLIENT_FORMATS.flatMap((format) => LANES.map((lane) => ({ format, lane }))).filter(({ format, lane }) =>
    isCase(lane === 'relay' ? format : TRANSLATED[format]),
  );
  let asked: Promise<readonly Heard[]>;
  begun.push(() => {
    asked = Promise.all(cases.map(async ({ format, lane }) => hear(format, lane, scene)));
  });
  for (const [index, { format, lane }] of cases.entries()) {
    test(`${format}, ${lane}`, async () => check(format, (await asked)[index]!));
  }
}

describe('before the first event, the head and a ping are sent', () => {
  everyCase('late', (format, { status, hasRouting, pieces }) => {
    expect([status, hasRouting]).toEqual([200, false]);
    expect(pieces[0]).toBe(PING[format]);
    const text = pieces.join('');
    expect(text.split(WORD)).not.toHaveLength(1);
    expect(text).toContain(TERMINAL[format]);
    expect(text).toContain('"_routing"');
  });
});

describe('a failure after the head is reported in the stream', () => {
  everyCase('broken', (format, { status, pieces }) => {
    expect(status).toBe(200);
    const text = pieces.join('');
    expect(text).toContain('"error"');
    expect(text).toStartWith(PING[format]);
    if (format === 'anthropic-messages') expect(text).toContain('event: error\n');
  });

  test('is logged with its error code', async () => {
    const rows = () => rowsOf('broken');
    await until('all requests are logged', async () => (await rows()).length === 2 * CLIENT_FORMATS.length);
    for (const row of await rows())
      expect(row).toMatchObject({ status: 200n, error_code: 'invalid_request', cost_nano: 0n });
  });
});

describe('events before the first text are sent at once if no other channel could answer', () => {
  // Gemini's streams begin with text.
  const hasOpening = (upstream: ClientFormat) => upstream !== 'gemini';
  const check = (format: ClientFormat, { status, pieces }: Heard) => {
    expect(status).toBe(200);
    expect(pieces.find((piece) => piece !== PING[format])).not.toContain(WORD);
    expect(pieces).toContain(PING[format]);
    expect(pieces.join('')).toContain(TERMINAL[format]);
  };
  everyCase('opening', (format, heard) => format === 'gemini' || check(format, heard), hasOpening);

  test('a failure after them is reported in the stream and costs nothing', async () => {
    const { status, pieces } = await hear('openai-responses', 'translate', 'cut');
    const text = pieces.join('');
    expect(status).toBe(200);
    expect(text).toContain('event: response.created\n');
    expect(text).toContain('event: response.failed\n');
    await until('the request is logged', async () => (await rowsOf('cut-')).length > 0);
    expect(await rowsOf('cut-')).toMatchObject([
      { status: 200n, error_code: 'upstream_error', cost_nano: 0n, input_tokens: null },
    ]);
  });
});

describe('pings between two events are separate frames', () => {
  everyCase('slow', (format, { pieces }) => {
    const isPing = (piece: string) => piece === PING[format];
    expect(pieces.filter(isPing).length).toBeGreaterThanOrEqual(WORDS - 1);
    expect(pieces.filter((piece) => !isPing(piece)).join('')).toContain(TERMINAL[format]);
  });
});

describe('clients ignore pings', () => {
  /** A proxy between the clients and the gateway that sees the pings, since SDKs do not expose them. */
  const listener = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const [, scene = '', format = ''] = /(\w+)-over-([a-z-]+)/.exec(pathname + body) ?? [];
      const { method, headers } = request;
      const response = await fetch(`http://127.0.0.1:${bed.port()}${pathname}${search}`, { method, headers, body });
      // The models are named after the four formats.
      const patience = patienceIn(scene, format as ClientFormat);
      const pieces = silences.heard(response, body, format as ClientFormat, patience);
      return new Response(pieces, { status: response.status, headers: response.headers });
    },
  });
  afterAll(() => listener.stop(true));

  const origin = `http://127.0.0.1:${listener.port}`;
  const apiKey = keyOf('waiter');
  const answer = WORD.repeat(WORDS);
  const prompt = () => `Hello ${silences.newWords()}`;
  const messages = () => [{ role: 'user' as const, content: prompt() }];

  test.concurrent('openai, chat', async () => {
    const client = new OpenAI({ apiKey, baseURL: `${origin}/v1` });
    const stream = await client.chat.completions.create({
      ...{ model: modelOver('openai-chat', 'late'), messages: messages(), stream: true },
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(answer);
  });

  test.concurrent('openai, responses', async () => {
    const client = new OpenAI({ apiKey, baseURL: `${origin}/v1` });
    const model = modelOver('openai-responses', 'late');
    const stream = await client.responses.create({ model, input: prompt(), stream: true, store: false });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe(answer);
  });

  test.concurrent('anthropic', async () => {
    const client = new Anthropic({ apiKey, baseURL: origin });
    const model = modelOver('anthropic-messages', 'late');
    const message = await client.messages.stream({ model, max_tokens: 99, messages: messages() }).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: answer }]);
  });

  test.concurrent('google', async () => {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
    const model = modelOver('gemini', 'late');
    const stream = await client.models.generateContentStream({ model, contents: prompt() });
    let text = '';
    for await (const chunk of stream) text += chunk.text ?? '';
    expect(text).toBe(answer);
  });

  const inArray = async (name: string) => {
    const url = `${origin}/v1beta/models/${modelOver('gemini', name)}:streamGenerateContent`;
    const contents = [{ role: 'user', parts: [{ text: prompt() }] }];
    const headers = { 'x-goog-api-key': apiKey, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ contents }) })).text();
  };

  test.concurrent('a JSON parser, for an array that ends with a response or a failure', async () => {
    const [whole, slow, failed] = await Promise.all(['late', 'slow', 'broken'].map(inArray));
    expect(parseJson(whole ?? '')).toHaveLength(WORDS + 1);
    expect(parseJson(slow ?? '')).toHaveLength(WORDS + 1);
    expect(slow).toMatch(/\}\r\n\r\n,|\}\r\n,\r\n\r\n/);
    expect(parseJson(failed ?? '')).toMatchObject([{ error: { code: 400 } }]);
  });
});
