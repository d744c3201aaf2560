import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import {
  audio,
  events,
  MP3,
  MP3_MS,
  openaiSpeaker,
  PCM,
  type Speaker,
  type SpeechUpstream,
  startSpeaker,
  strictSpeaker,
  TOKENS,
  WAV,
} from './speech/upstreams.ts';

/* The cost of speech in each unit, and the charge if it ends early. */

setDefaultTimeout(600_000);

const TEXT = 'Grüße aus 東京 😀!';
/** In code points, the unit of the charge. */
const CHARACTERS = 15;

const PRICES = {
  'by-character': { per_character: '0.000015' },
  'by-second': { per_second: '0.0003' },
  'by-request': { per_request: '0.004' },
  'gpt-4o-mini-tts': { input_per_1m: '0.60', output_per_1m: '12.00', audio_output_per_1m: '12.00' },
  'by-token': { input_per_1m: '0.60', audio_output_per_1m: '12.00' },
  'aura-2': { per_character: '0.00003' },
} as const;

let upstream: SpeechUpstream;
let space: Workspace;
let serving: Serving;
/** Responds with 404 until a test sets a speaker: the gateway probes which server a new channel is. */
let speaker: Speaker = () => new Response(null, { status: 404 });

beforeAll(async () => {
  upstream = startSpeaker((call) => speaker(call));
  space = await Workspace.create();
  const common = { api_key: 'upstream-key', breaker: { minimum_requests: 1_000_000 } };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        ...{ ...common, id: 'any', provider: 'openai-compatible', base_url: `${upstream.baseUrl}/v1` },
        models: ['by-character', 'by-second', 'by-request', 'by-token'],
      },
      { ...common, id: 'openai', provider: 'openai', base_url: `${upstream.baseUrl}/v1`, models: ['gpt-4o-mini-tts'] },
      { ...common, id: 'deepgram', provider: 'deepgram', base_url: `${upstream.baseUrl}/deepgram`, models: ['aura-2'] },
    ],
    models: Object.entries(PRICES).map(([id, pricing]) => ({ id, category: 'tts', pricing })),
    accounts: [
      ...[
        ['payer', '10'],
        ['short', '0.0002'],
        ['rush', '1'],
      ].map(([id = '', balance_usd]) => accountWith(id, [keyNamed(id)], { billing: 'prepaid', balance_usd })),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});
beforeEach(() => {
  speaker = strictSpeaker;
});

/** Matches the audio tokens in the request log. */
const spoken = (tokens: number) => expect.stringContaining(`{"unit":"audio_output_token","amount":${tokens}}`);

const ask = (body: object, account = 'payer', init: RequestInit = {}) =>
  fetch(`${serving.baseUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: TEXT, ...body }),
    ...init,
  });

interface Row {
  readonly status: number;
  readonly cost_nano: number | null;
  readonly usage_source: string | null;
  readonly input_tokens: number | null;
  readonly other_quantities: string | null;
  readonly client_gone: number;
  readonly error_code: string | null;
}

async function rowOf(requestId: string | null): Promise<Row> {
  let row: Row | null = null;
  await until('the request is logged', () => {
    const database = new Database(space.database, { readonly: true });
    try {
      row = database.query<Row, [string | null]>('SELECT * FROM request_log WHERE request_id = ?').get(requestId);
    } finally {
      database.close();
    }
    return row !== null;
  });
  if (row === null) throw new Error('there is no such row');
  return row;
}

/** Returns the number of logged requests whose client disconnected. */
function clientsGone(): number {
  const database = new Database(space.database, { readonly: true });
  try {
    return database.query('SELECT id FROM request_log WHERE client_gone = 1').all().length;
  } finally {
    database.close();
  }
}

async function costOf(body: object): Promise<Row> {
  const response = await ask(body);
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return rowOf(response.headers.get('x-request-id'));
}

const balanceOf = async (id: string) => {
  const { stdout } = await space.run(['accounts', 'balance', id, '--json']);
  return asObject(parseJson(stdout)).balance_usd;
};

describe('each unit', () => {
  test('characters are code points, whatever their size in UTF-16 or UTF-8', async () => {
    expect([...TEXT].length).toBe(CHARACTERS);
    expect(await costOf({ model: 'by-character' })).toMatchObject({ status: 200, cost_nano: CHARACTERS * 15_000 });
  });

  test('characters are charged as reported, but never more than were sent', async () => {
    for (const [told, charged] of [
      ['9', 9],
      ['15', 15],
      ['16', 15],
      ['1000000', 15],
      ['-5', 15],
      ['many', 15],
    ] as const) {
      speaker = () => audio(MP3, 'audio/mpeg', { 'dg-char-count': told });
      expect(await costOf({ model: 'aura-2' })).toMatchObject({ cost_nano: charged * 30_000 });
    }
  });

  test('seconds are charged by the length of the audio, in each format', async () => {
    const cases: readonly (readonly [string, Speaker, number])[] = [
      ['mp3', () => audio(MP3, 'audio/mpeg'), MP3_MS],
      ['wav', () => audio(WAV, 'audio/wav'), 1_000],
      ['pcm', () => audio(PCM, 'audio/pcm'), 1_000],
      ['pcm', () => audio(PCM, 'audio/pcm;rate=16000'), 1_500],
    ];
    for (const [response_format, made, ms] of cases) {
      speaker = made;
      for (const stream_format of ['audio', 'sse']) {
        const row = await costOf({ model: 'by-second', response_format, stream_format });
        expect([response_format, row.cost_nano]).toEqual([response_format, ms * 300]);
      }
    }
  });

  test('requests are charged', async () => {
    expect(await costOf({ model: 'by-request' })).toMatchObject({ cost_nano: 4_000_000 });
  });

  test('tokens are read from events, even if the client wants plain audio', async () => {
    speaker = openaiSpeaker;
    const cost = TOKENS.input_tokens * 600 + TOKENS.output_tokens * 12_000;
    for (const stream_format of ['audio', 'sse']) {
      expect(await costOf({ model: 'gpt-4o-mini-tts', stream_format })).toMatchObject({
        ...{ cost_nano: cost, usage_source: 'reported' },
        ...{ input_tokens: TOKENS.input_tokens, other_quantities: spoken(TOKENS.output_tokens) },
      });
    }
  });

  test('tokens of an upstream that reports none are estimated from the length of the audio', async () => {
    speaker = () => audio(MP3, 'audio/mpeg');
    const row = await costOf({ model: 'gpt-4o-mini-tts' });
    // 25 tokens for each of three seconds; twelve letters at a quarter of a token, and three other characters.
    expect(row).toMatchObject({ usage_source: 'estimated', other_quantities: spoken(75), input_tokens: 6 });
    expect(row.cost_nano).toBe(75 * 12_000 + 6 * 600);
  });

  test('implausible token counts are not charged', async () => {
    speaker = () =>
      events(
        { type: 'speech.audio.delta', audio: MP3.toBase64() },
        { type: 'speech.audio.done', usage: { input_tokens: 1, output_tokens: 1e12, total_tokens: 1e12 } },
      );
    const response = await ask({ model: 'by-token' }, 'rush');
    await response.arrayBuffer();
    await rowOf(response.headers.get('x-request-id'));
    // The charge is capped at twice the cost of the longest audio for such a short text; the rest is held for an operator.
    expect(Number(await balanceOf('rush'))).toBeGreaterThan(0.98);
    const { stdout } = await space.run(['ledger', 'held', 'list', '--account', 'rush', '--json']);
    expect(stdout).toContain(response.headers.get('x-request-id') ?? 'no id');
  });
});

describe('the reservation', () => {
  test('a balance that does not cover all characters is refused before any upstream request', async () => {
    const asked = upstream.calls.length;
    const response = await ask({ model: 'by-character' }, 'short');
    expect(response.status).toBe(402);
    await response.arrayBuffer();
    expect(upstream.calls.length).toBe(asked);
    // Thirteen characters cost 195,000 of 200,000 nano-USD.
    const paid = await ask({ model: 'by-character', input: 'a'.repeat(13) }, 'short');
    await paid.arrayBuffer();
    expect(paid.status).toBe(200);
    await until('the request is charged', async () => (await balanceOf('short')) === '0.000005');
  });

  test('a failure costs nothing and releases the reservation', async () => {
    const before = await balanceOf('payer');
    speaker = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    for (const model of ['by-character', 'by-second', 'by-request', 'by-token']) {
      const response = await ask({ model });
      await response.arrayBuffer();
      expect(response.status).toBe(502);
      expect(await rowOf(response.headers.get('x-request-id'))).toMatchObject({ status: 502, cost_nano: 0 });
    }
    expect(await balanceOf('payer')).toBe(before);
  });

  test('the charges of many concurrent requests add up to the balance', async () => {
    const before = Number(await balanceOf('payer')) * 1e9;
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask({ model: 'by-character' })));
    for (const response of responses) await response.arrayBuffer();
    for (const response of responses) await rowOf(response.headers.get('x-request-id'));
    await until('all requests are charged', async () => {
      const after = Number(await balanceOf('payer')) * 1e9;
      return Math.round(before - after) === 20 * CHARACTERS * 15_000;
    });
  });
});

test('a stream that breaks off is logged as failed and charged up to there', async () => {
  const broken = () => events({ type: 'speech.audio.delta', audio: MP3.toBase64() });
  for (const [model, cost_nano] of [
    ['by-character', CHARACTERS * 15_000],
    ['by-second', MP3_MS * 300],
  ] as const) {
    speaker = broken;
    const response = await ask({ model, stream_format: 'sse' });
    expect(await response.text()).toContain('"error"');
    expect(await rowOf(response.headers.get('x-request-id'))).toMatchObject({
      ...{ status: 200, error_code: 'upstream_error', client_gone: 0, cost_nano },
    });
  }
});

describe('a client that disconnects midway is charged', () => {
  /** Sends a fifth of the audio, then nothing until the gateway disconnects. */
  const halting: Speaker = ({ signal }) => {
    const begun = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(MP3.subarray(0, MP3.length / 5));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        controller.close();
      },
    });
    return new Response(begun, { headers: { 'content-type': 'audio/mpeg' } });
  };

  async function leave(model: string): Promise<Row> {
    speaker = halting;
    const leaving = new AbortController();
    const response = await ask({ model }, 'payer', { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    const row = await rowOf(response.headers.get('x-request-id'));
    expect(row).toMatchObject({ client_gone: 1, error_code: 'client_closed_request' });
    return row;
  }

  test('all characters, which the provider also charges', async () => {
    expect((await leave('by-character')).cost_nano).toBe(CHARACTERS * 15_000);
  });

  test('the seconds that were generated by then', async () => {
    expect((await leave('by-second')).cost_nano).toBe((MP3_MS / 5) * 300);
  });

  test('the tokens of the audio that was generated by then', async () => {
    expect(await leave('by-token')).toMatchObject({ usage_source: 'estimated', other_quantities: spoken(15) });
  });

  test('nothing if no audio had arrived', async () => {
    let isAsked = false;
    speaker = async ({ signal }) => {
      isAsked = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return new Response('');
    };
    const before = await balanceOf('payer');
    const goneBefore = clientsGone();
    const leaving = new AbortController();
    const asking = ask({ model: 'by-character' }, 'payer', { signal: leaving.signal }).catch(() => null);
    await until('the upstream request arrives', () => isAsked);
    leaving.abort();
    await asking;
    await until('the disconnect is logged', () => clientsGone() > goneBefore);
    expect(await balanceOf('payer')).toBe(before);
  });
});
