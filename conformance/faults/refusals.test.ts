import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { failureProblems } from '../matrix/failure-rules.ts';
import { drive, type Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import { metricsOf } from '../shared/metrics.ts';
import { recordingsMissing } from '../shared/recordings.ts';
import { type Asked, ask, contentOf, routingOf } from './ask.ts';
import { type FaultBed, requestLog, startFaultBed } from './bed.ts';
import { channelOf } from './channels.ts';
import { answerOf, clientsMistakesOf, driverOf, FORMATS, FORMS, recordedFailure } from './upstreams.ts';

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`recorded refusals (${missing})`, () => undefined);

/** Of each format so many recorded mistakes are sent. */
const MISTAKES = 3;

/** Clients of any format, at a provider that says the request is wrong. */
function mistakes() {
  return FORMATS.flatMap((upstream) =>
    clientsMistakesOf(upstream)
      .slice(0, MISTAKES)
      .flatMap((refused, index) =>
        FORMATS.flatMap((format) =>
          FORMS.map((form) => ({
            upstream,
            refused,
            format,
            form,
            id: `mistake-${upstream}-${index}-${format}-${form}`,
          })),
        ),
      ),
  );
}

/** The channel's account has no quota left: not a rate limit that is over in a moment, and not the client's doing. */
const NO_QUOTA = ['openai/chat/905-', 'openai/responses/190-', 'openai/responses/189-'].map((file, index) => ({
  file,
  bad: `no-quota-${index}`,
  alone: `no-quota-${index}-alone`,
}));

describe.skipIf(missing !== undefined)('a recorded refusal', () => {
  const all = missing === undefined ? mistakes() : [];
  let bed: FaultBed;

  beforeAll(async () => {
    bed = await startFaultBed({
      configure: ({ bad, good }) => ({ channels: [...mistakenChannels(bad.baseUrl), ...quotaChannels(bad, good)] }),
    });
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
  });

  function mistakenChannels(baseUrl: string): readonly object[] {
    return FORMATS.flatMap((format) => {
      const served = all.filter(({ upstream }) => upstream === format);
      return ['first', 'second'].map((place, priority) => {
        const models = Object.fromEntries(
          served.map(({ id, refused }) => [id, `${place}.${id}.${refused.recording.id}`]),
        );
        return channelOf({ id: `${place}--${format}`, format, baseUrl, models, priority });
      });
    });
  }

  /** Each of the channels serves two models, and another channel the same ones; the third model is served by one channel only. */
  function quotaChannels(bad: { readonly baseUrl: string }, good: { readonly baseUrl: string }): readonly object[] {
    const failing = NO_QUOTA.flatMap(({ file, bad: id, alone }) => {
      const { recording, upstream } = recordedFailure(file);
      const format = upstream.format as ClientFormat;
      const models = { [id]: `${id}.${recording.id}`, [`${id}-other`]: `${id}-other.${recording.id}` };
      return [
        channelOf({ id, format, baseUrl: bad.baseUrl, models }),
        channelOf({ id: alone, format, baseUrl: bad.baseUrl, models: { [alone]: `${alone}.${recording.id}` } }),
      ];
    });
    const models = Object.fromEntries(
      NO_QUOTA.flatMap(({ bad: id }) => [id, `${id}-other`]).map((id) => [id, answered().recording.id]),
    );
    return [...failing, channelOf({ id: 'good', format: 'openai-chat', baseUrl: good.baseUrl, models, priority: 1 })];
  }

  const answered = () => answerOf('openai-chat', 'whole', 0);

  for (const client of FORMATS) {
    test(`of a request that is wrong: ${client} is told so, and no other channel is asked`, async () => {
      const asked = all.filter(({ format }) => format === client);
      expect(new Set(asked.map(({ upstream }) => upstream)).size).toBe(FORMATS.length);
      const problems = await Promise.all(
        asked.map(async ({ id, form, refused }) => {
          const target = { ...bed.place(), model: id };
          const outcome = await drive(driverOf(client), { target, form, withTools: true, dialect: '' });
          const { retryCount } = routingOf(outcome.wire?.headers ?? new Headers());
          const found = failureProblems(refused, outcome, client);
          return [...found, ...(retryCount === 0 ? [] : [`${retryCount} retries`])].map((line) => `${id}: ${line}`);
        }),
      );
      expect(problems.flat()).toEqual([]);
      const journal = await bed.bad.journal();
      const came = (name: string) => journal.filter(({ url, body }) => (url + body).includes(name)).length;
      expect(asked.map(({ id }) => [id, came(`first.${id}.`), came(`second.${id}.`)])).toEqual(
        asked.map(({ id }) => [id, 1, 0]),
      );
    });
  }

  describe.each(NO_QUOTA)('for want of quota ($file)', ({ file, bad, alone }) => {
    const isInStream = file.includes('/189-');
    const form: Form = isInStream ? 'stream' : 'whole';
    const format: ClientFormat = isInStream ? 'openai-responses' : 'openai-chat';
    const asking = async (model: string, asked: Partial<Asked> = {}) => {
      const answer = await ask(bed.place(), { format, form, model, prompt: 'What is the weather?', ...asked });
      return { ...answer, ...routingOf(answer.headers) };
    };

    test('goes to the next channel, and the channel rests for the model', async () => {
      const first = await asking(bad);
      expect(first).toMatchObject({ status: 200, channelId: 'good', retryCount: 1 });
      if (!isInStream) {
        const { responseBody } = answered().recording;
        expect(contentOf({ format, form }, first.body)).toEqual(contentOf({ format, form }, responseBody));
      }
      expect(await asking(bad)).toMatchObject({ status: 200, channelId: 'good', retryCount: 0 });
    });

    test.each(FORMATS)('is no rate limit where there is no other channel (%s)', async (client) => {
      const { status, body } = await asking(alone, { format: client });
      // The first client gets the failure itself; while the channel rests there is none to be asked.
      expect([502, 503]).toContain(status);
      expect(body).not.toMatch(/rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED/);
      expect(asObject(asObject(parseJson(body)).error).message).toEqual(expect.any(String));
    });

    test('is named in the request log and the metrics', async () => {
      const rows = await requestLog(bed, 2, bad);
      expect(rows.map(({ failed_attempts }) => failed_attempts ?? '').join()).toContain('upstream_quota');
      const counted = (await metricsOf(bed.serving())).filter(
        ({ name, labels }) => name === 'switchyard_attempt_failures_total' && labels.channel === bad,
      );
      expect(counted).toMatchObject([{ labels: { kind: 'upstream_quota' }, value: 1 }]);
    });
  });
});
