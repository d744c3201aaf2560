import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { asObject, parseJson } from './shared/json.ts';
import { rawChat } from './shared/raw-chat.ts';
import { recordingsMissing } from './shared/recordings.ts';
import { streamedChatSample, wholeChatSample } from './shared/sample-recordings.ts';
import { startTestBed, type TestBed } from './shared/test-bed.ts';

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`an upstream that fails (${missing})`, () => undefined);

/** What the client gets when the upstream fails before the first byte of an answer. */
const BEFORE_FIRST_BYTE = {
  'status-500': { status: 502, type: 'upstream_error', says: 'The server answered 500' },
  'status-503': { status: 502, type: 'upstream_error', says: 'The server answered 503' },
  'status-429': { status: 429, type: 'rate_limit_exceeded', says: 'The server answered 429' },
  garbage: { status: 502, type: 'upstream_error', says: '' },
  reset: { status: 502, type: 'upstream_error', says: '' },
  hang: { status: 504, type: 'timeout_error', says: '' },
} as const;

/** In the middle of an answer: a whole one can still become an error, a stream can only end with an error frame. */
const IN_THE_MIDDLE = {
  'reset-mid': { status: 502, type: 'upstream_error' },
  'hang-mid': { status: 504, type: 'timeout_error' },
} as const;

const FORMS = ['whole', 'stream'] as const;
type Form = (typeof FORMS)[number];

/** Each fault ends within the channel's 500 ms, a few times over where the gateway tries again. */
const ANSWER_WITHIN_MS = 8_000;

const publicId = (fault: string, form: Form) => `public-${fault}-${form}`;

function models(): Record<string, string> {
  const ids = { whole: wholeChatSample().id, stream: streamedChatSample().id };
  const faults = [...Object.keys(BEFORE_FIRST_BYTE), ...Object.keys(IN_THE_MIDDLE)];
  const faulty = faults.flatMap((fault) => FORMS.map((form) => [publicId(fault, form), `fault.${fault}.${ids[form]}`]));
  return Object.fromEntries([...faulty, ['public-healthy', ids.whole]]);
}

function expectEnvelope(body: unknown, type: string): Readonly<Record<string, unknown>> {
  const error = asObject(asObject(body).error);
  expect(Object.keys(error)).toEqual(expect.arrayContaining(['message', 'type', 'code', 'param']));
  expect(error.type).toBe(type);
  expect(typeof error.code).toBe('string');
  expect(String(error.message).length).toBeGreaterThan(10);
  return error;
}

describe.skipIf(missing !== undefined)('when the upstream fails', () => {
  let bed: TestBed;

  beforeAll(async () => {
    const timeouts = { connect_ms: 500, first_byte_ms: 500, idle_ms: 500, total_ms: 20_000 };
    // The gaps let the first half of an answer arrive before its connection is cut, which would discard it.
    bed = await startTestBed({ models: models(), timeouts, replay: { split: 'random', gapMs: 3 } });
  }, 30_000);

  afterAll(async () => {
    await bed?.stop();
  });

  const within = () => AbortSignal.timeout(ANSWER_WITHIN_MS);
  const sdk = () =>
    new OpenAI({
      baseURL: bed.gateway.baseUrl,
      apiKey: bed.gateway.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      timeout: ANSWER_WITHIN_MS,
    });
  const messages = [{ role: 'user' as const, content: 'Hello' }];

  for (const [fault, expected] of Object.entries(BEFORE_FIRST_BYTE)) {
    for (const form of FORMS) {
      test(
        `with ${fault} before the first byte, a ${form} chat is answered ${expected.status}`,
        async () => {
          const model = publicId(fault, form);
          const response = await rawChat(bed.gateway, { model, stream: form === 'stream', signal: within() });
          const text = await response.text();
          expect({ status: response.status, text }).toEqual({ status: expected.status, text });
          expect(response.headers.get('content-type')).toContain('application/json');
          const error = expectEnvelope(parseJson(text), expected.type);
          expect(error.message).toContain(expected.says);
          expect(text).not.toContain('rec-');
          if (expected.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        },
        ANSWER_WITHIN_MS + 2_000,
      );
    }
  }

  for (const [fault, expected] of Object.entries(IN_THE_MIDDLE)) {
    test(
      `with ${fault}, a whole chat is answered ${expected.status}`,
      async () => {
        const response = await rawChat(bed.gateway, { model: publicId(fault, 'whole'), signal: within() });
        const text = await response.text();
        expect({ status: response.status, text }).toEqual({ status: expected.status, text });
        expectEnvelope(parseJson(text), expected.type);
      },
      ANSWER_WITHIN_MS + 2_000,
    );

    test(
      `with ${fault}, a stream ends with an error frame`,
      async () => {
        const response = await rawChat(bed.gateway, {
          model: publicId(fault, 'stream'),
          stream: true,
          signal: within(),
        });
        expect(response.status).toBe(200);
        const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
        expect(events.length).toBeGreaterThan(2);
        expectEnvelope(parseJson(events.at(-1)?.slice('data: '.length) ?? ''), expected.type);
      },
      ANSWER_WITHIN_MS + 2_000,
    );

    test(
      `with ${fault}, the openai SDK throws in the middle of its stream`,
      async () => {
        const chunks: unknown[] = [];
        const consume = async () => {
          const stream = await sdk().chat.completions.create({
            model: publicId(fault, 'stream'),
            messages,
            stream: true,
          });
          for await (const chunk of stream) chunks.push(chunk);
        };
        const thrown: unknown = await consume().then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(thrown).toBeInstanceOf(OpenAI.APIError);
        expect(asObject(asObject(thrown).error).type).toBe(expected.type);
        expect(chunks.length).toBeGreaterThan(0);
      },
      ANSWER_WITHIN_MS + 2_000,
    );
  }

  test('the same channel still answers what it can', async () => {
    const answer = await sdk().chat.completions.create({ model: 'public-healthy', messages });
    expect(answer.choices.length).toBeGreaterThan(0);
  });
});
