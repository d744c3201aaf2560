import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import type { Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { TestClock } from '../shared/test-clock.ts';
import { ASK_LIMIT_MS, ask, type RawAnswer } from './ask.ts';
import { type FaultBed, startFaultBed } from './bed.ts';
import { channelOf } from './channels.ts';
import { type Answers, driverOf, FORMATS, FORMS } from './upstreams.ts';

const COOLDOWN_MS = 1_500;
const FAILURES_TO_OPEN = 5;

interface Down {
  readonly format: ClientFormat;
  readonly form: Form;
  readonly id: string;
}

/** Models with two channels that both fail. Health is per model, so tests do not affect each other. */
const DOWN: readonly Down[] = FORMATS.flatMap((format) =>
  FORMS.map((form) => ({ format, form, id: `down-${format}-${form}` })),
);
const LIMITED: readonly Down[] = FORMATS.map((format) => ({ format, form: 'whole', id: `limited-${format}` }));
/** Two more, usable with one key, whose breakers stay open. */
const OUT: readonly Down[] = [1, 2].map((number) => ({ format: 'openai-chat', form: 'whole', id: `out-${number}` }));

const CLOSED_TO_KEYS = 'well-but-closed-to-the-key';
const WELL = ['well', 'well-but-hidden', 'well-but-on-hold', 'well-but-of-another-category'];
const AVAILABLE = { id: 'well', status: 'available', tags: ['fast', 'cheap'] };

/** Returns the problems with the body of an error in this format. */
export type Judge = (format: ClientFormat, body: unknown) => readonly string[];

/** Tests the errors that clients get, and when requests are admitted again. */
export function describeAllChannelsFailed(answers: Answers, judge: Judge = () => []): void {
  describe('when every channel of a model has failed', () => {
    const clock = new TestClock();
    let bed: FaultBed;
    beforeAll(async () => {
      bed = await startFaultBed({
        answers,
        clock,
        configure: ({ bad, good }) => ({
          channels: [...failingChannels(answers, bad.baseUrl), healthyChannel(answers, good.baseUrl)],
          models: [
            { id: 'well', category: 'chat', tags: AVAILABLE.tags },
            { id: 'well-but-hidden', category: 'chat', status: 'hidden' },
            { id: 'well-but-on-hold', category: 'chat', status: 'hold' },
            { id: 'well-but-of-another-category', category: 'image' },
            { id: CLOSED_TO_KEYS, category: 'chat' },
          ],
        }),
        keys: [...DOWN, ...LIMITED, ...OUT].map(({ id }) => ({
          ...{ id, name: id, secret: keyFor(id) },
          models: id.startsWith('out-') ? ['out-*', 'well'] : [id, ...WELL],
        })),
      });
    }, 600_000);

    afterAll(async () => {
      await bed?.stop();
    });

    const asking = ({ format, form, id }: Down) =>
      ask(placeFor(id), { format, form, model: id, prompt: 'What is the weather?' });
    const placeFor = (id: string) => ({ origin: bed.place().origin, apiKey: keyFor(id) });
    const received = async (id: string) =>
      (await bed.bad.journal()).filter(({ url, body }) => url.includes(`${id}.`) || body.includes(`${id}.`)).length;

    test.each(DOWN)('$format, $form: clients get 503 at once, and one that waits is admitted', async (down) => {
      const { format, id } = down;
      expectUnavailable(judge, format, await asking(down));
      expect(await received(id)).toBe(2);
      for (let count = 1; count < FAILURES_TO_OPEN; count++) expect((await asking(down)).status).toBe(503);
      // The breakers are open now, so no client waits for an upstream.
      const before = await received(id);
      const { retryAfter } = expectUnavailable(judge, format, await asking(down));
      expect(await received(id)).toBe(before);

      clock.advance(retryAfter * 1_000);
      expect((await asking(down)).status).toBe(503);
      expect(await received(id)).toBeGreaterThan(before);
    });

    test.each(LIMITED)('$format: Retry-After is the upstreams’ own rate limit delay', async (limited) => {
      const { retryAfter } = expectUnavailable(judge, limited.format, await asking(limited));
      const before = await received(limited.id);
      expect((await asking(limited)).status).toBe(503);
      expect(await received(limited.id)).toBe(before);
      clock.advance(retryAfter * 1_000);
      await asking(limited);
      expect(await received(limited.id)).toBeGreaterThan(before);
    });

    const CLASSES = {
      'openai-chat': OpenAI.InternalServerError,
      'openai-responses': OpenAI.InternalServerError,
      'anthropic-messages': Anthropic.InternalServerError,
      gemini: ApiError,
    } as const;

    test.each(DOWN)('$format, $form: the SDK raises a server error', async ({ format, form, id }) => {
      const target = { ...placeFor(id), model: id };
      const signal = AbortSignal.timeout(ASK_LIMIT_MS);
      const call = driverOf(format).run({ target, form, withTools: false, dialect: '', fetch, signal });
      const thrown = await call.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(thrown).toBeInstanceOf(CLASSES[format]);
      expect(thrown).toMatchObject({ status: 503 });
    });

    test('an unavailable model is not suggested', async () => {
      const [first, second] = OUT as [Down, Down];
      for (let count = 0; count < FAILURES_TO_OPEN; count++) await asking(first);
      const { alternatives } = membersOf(second.format, (await asking(second)).body);
      expect(alternatives).toEqual([AVAILABLE]);
    });
  });
}

/** Each key may use the one model that fails, and some healthy ones. */
function keyFor(id: string): string {
  return `sk-faults-0123456789abcdef-${id}`;
}

function failingChannels(answers: Answers, baseUrl: string): readonly object[] {
  const breaker = { cooldown_ms: COOLDOWN_MS };
  const failing = (models: readonly Down[], fault: string, settings: Readonly<Record<string, number>>) =>
    [...Map.groupBy(models, ({ format }) => format)].flatMap(([format, served]) => {
      const { id: recording } = answers.of(format, 'whole', 0).recording;
      return [1, 2].map((priority) => {
        const models = Object.fromEntries(
          served.map(({ id }) => [id, `${id}.${priority}.fault.status-${fault}.${recording}`]),
        );
        const id = `${fault}-${priority}-${served[0]?.id}`;
        return channelOf({ id, format, baseUrl, models, priority, breaker: settings });
      });
    });
  return [
    ...failing(DOWN, '503', breaker),
    ...failing(LIMITED, '429', breaker),
    ...failing(OUT, '503', { cooldown_ms: 120_000 }),
  ];
}

function healthyChannel(answers: Answers, baseUrl: string): object {
  const { id } = answers.of('openai-chat', 'whole', 0).recording;
  const models = Object.fromEntries([...WELL, CLOSED_TO_KEYS].map((name) => [name, id]));
  return channelOf({ id: 'good', format: 'openai-chat', baseUrl, models });
}

/** The contract's error members, which Gemini's envelope has as strings in its metadata. */
interface Members {
  readonly code: unknown;
  readonly retryable: unknown;
  readonly retryAfter: unknown;
  readonly alternatives: unknown;
}

function membersOf(format: ClientFormat, body: string): Members {
  const error = asObject(asObject(parseJson(body)).error);
  if (format !== 'gemini') {
    return { ...error, retryAfter: error.retry_after } as unknown as Members;
  }
  const info = asArray(error.details)
    .map(asObject)
    .find((detail) => String(detail['@type']).endsWith('.ErrorInfo'));
  const { code, retryable, retry_after, alternatives } = asObject(info?.metadata);
  return {
    code,
    retryable: retryable === 'true',
    retryAfter: Number(retry_after),
    alternatives: parseJson(String(alternatives)),
  };
}

function expectUnavailable(
  judge: Judge,
  format: ClientFormat,
  { status, headers, body }: RawAnswer,
): { readonly retryAfter: number } {
  expect({ status, body }).toEqual({ status: 503, body });
  expect(headers.get('content-type')).toContain('application/json');
  expect(judge(format, parseJson(body))).toEqual([]);
  const { code, retryable, retryAfter, alternatives } = membersOf(format, body);
  expect({ code, retryable, alternatives }).toEqual({
    code: 'all_channels_failed',
    retryable: true,
    alternatives: [AVAILABLE],
  });
  expect(headers.get('retry-after')).toBe(String(retryAfter));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(5);
  return { retryAfter: Number(retryAfter) };
}
