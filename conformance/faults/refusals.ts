import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { failureProblems } from '../matrix/failure-rules.ts';
import { drive, type Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import { metricsOf } from '../shared/metrics.ts';
import { TestClock } from '../shared/test-clock.ts';
import { type Asked, ask, contentOf, routingOf } from './ask.ts';
import { type FaultBed, requestLog, startFaultBed } from './bed.ts';
import { channelOf } from './channels.ts';
import { type Answers, driverOf, FORMATS, FORMS } from './upstreams.ts';

/** The most client errors that are sent per format. */
const MISTAKES = 3;

/** Clients of any format, with a provider that refuses the request as invalid. */
function mistakesIn(answers: Answers) {
  return FORMATS.flatMap((upstream) =>
    answers
      .mistakesOf(upstream)
      .slice(0, MISTAKES)
      .flatMap((refused, index) =>
        FORMATS.flatMap((format) =>
          FORMS.map((form) => ({
            upstream,
            refused,
            format,
            form,
            id: `mistake-${index}-${upstream}-${format}-${form}`,
          })),
        ),
      ),
  );
}

/** The channel's account has no quota left. This is neither a short-lived rate limit nor the client's fault. */
export interface NoQuota {
  readonly name: string;
  /** The recording of the upstream's response. */
  readonly recordingId: string;
  /** The upstream's format. */
  readonly format: ClientFormat;
  /** `stream` if the response began with status 200. */
  readonly form: Form;
}

/** Tests the refusals of upstreams: those that the client must fix, and those that the operator must fix. */
export function describeRefusals(answers: Answers, mistakenFormats: number, quotas: readonly NoQuota[]): void {
  describe('a refusal', () => {
    const all = mistakesIn(answers);
    const noQuota = quotas.map((one, index) => ({
      ...one,
      bad: `no-quota-${index}`,
      alone: `no-quota-${index}-alone`,
    }));
    let bed: FaultBed;

    beforeAll(async () => {
      bed = await startFaultBed({
        ...{ answers, clock: new TestClock() },
        configure: ({ bad, good }) => ({ channels: [...mistakenChannels(bad.baseUrl), ...quotaChannels(bad, good)] }),
      });
    }, 600_000);

    afterAll(async () => {
      await bed?.stop();
    });

    function mistakenChannels(baseUrl: string): readonly object[] {
      return FORMATS.flatMap((format) => {
        const served = all.filter(({ upstream }) => upstream === format);
        if (served.length === 0) return [];
        return ['first', 'second'].map((place, priority) => {
          const models = Object.fromEntries(
            served.map(({ id, refused }) => [id, `${place}.${id}.${refused.recording.id}`]),
          );
          return channelOf({ id: `${place}--${format}`, format, baseUrl, models, priority });
        });
      });
    }

    /** Each channel serves two models that another channel also serves, and a third one that no other channel serves. */
    function quotaChannels(bad: { readonly baseUrl: string }, good: { readonly baseUrl: string }): readonly object[] {
      const failing = noQuota.flatMap(({ recordingId, format, bad: id, alone }) => {
        const models = { [id]: `${id}.${recordingId}`, [`${id}-other`]: `${id}-other.${recordingId}` };
        return [
          channelOf({ id, format, baseUrl: bad.baseUrl, models }),
          channelOf({ id: alone, format, baseUrl: bad.baseUrl, models: { [alone]: `${alone}.${recordingId}` } }),
        ];
      });
      const models = Object.fromEntries(
        noQuota.flatMap(({ bad: id }) => [id, `${id}-other`]).map((id) => [id, answered().recording.id]),
      );
      return [...failing, channelOf({ id: 'good', format: 'openai-chat', baseUrl: good.baseUrl, models, priority: 1 })];
    }

    const answered = () => answers.of('openai-chat', 'whole', 0);

    for (const client of FORMATS) {
      test(`of an invalid request: ${client} gets the error, and no other channel is tried`, async () => {
        const asked = all.filter(({ format }) => format === client);
        expect(new Set(asked.map(({ upstream }) => upstream)).size).toBe(mistakenFormats);
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

    describe.each(noQuota)('without quota ($name)', ({ form, bad, alone }) => {
      const isInStream = form === 'stream';
      const format: ClientFormat = isInStream ? 'openai-responses' : 'openai-chat';
      const asking = async (model: string, asked: Partial<Asked> = {}) => {
        const answer = await ask(bed.place(), { format, form, model, prompt: 'What is the weather?', ...asked });
        return { ...answer, ...routingOf(answer.headers) };
      };

      test('goes to the next channel and puts the model in cooldown at the first', async () => {
        const first = await asking(bad);
        expect(first).toMatchObject({ status: 200, channelId: 'good', retryCount: 1 });
        if (!isInStream) {
          const { responseBody } = answered().recording;
          expect(contentOf({ format, form }, first.body)).toEqual(contentOf({ format, form }, responseBody));
        }
        expect(await asking(bad)).toMatchObject({ status: 200, channelId: 'good', retryCount: 0 });
      });

      test.each(FORMATS)('is not reported as a rate limit if there is no other channel (%s)', async (client) => {
        const { status, body } = await asking(alone, { format: client });
        // The first client gets the failure itself; during the cooldown no channel is available.
        expect([502, 503]).toContain(status);
        expect(body).not.toMatch(/rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED/);
        expect(asObject(asObject(parseJson(body)).error).message).toEqual(expect.any(String));
      });

      test('is in the request log and the metrics', async () => {
        const rows = await requestLog(bed, 2, bad);
        expect(rows.map(({ failed_attempts }) => failed_attempts ?? '').join()).toContain('upstream_quota');
        const counted = (await metricsOf(bed.serving())).filter(
          ({ name, labels }) => name === 'switchyard_attempt_failures_total' && labels.channel === bad,
        );
        expect(counted).toMatchObject([{ labels: { kind: 'upstream_quota' }, value: 1 }]);
      });
    });
  });
}
