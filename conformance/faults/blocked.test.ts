import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../first-light/support.ts';
import type { Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { recordingsMissing } from '../shared/recordings.ts';
import { ask, contentOf, type RawAnswer, type Routing, routingOf } from './ask.ts';
import { type FaultBed, metricsOf, requestLog, startFaultBed } from './bed.ts';
import { channelOf } from './channels.ts';
import { type HealingUpstream, healingModel, startHealingUpstream } from './healing-upstream.ts';
import { inParallel } from './in-parallel.ts';
import { madeId } from './made-recordings.ts';
import { answerOf, FORMATS, FORMS } from './upstreams.ts';

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`channels whose key is refused (${missing})`, () => undefined);

const STATUSES = [401, 403] as const;
const COOLDOWN_MS = 200;

/** Its provider refuses the key once; a block is of the whole channel, so each case has a channel of its own. */
interface Blocked {
  readonly status: (typeof STATUSES)[number];
  readonly format: ClientFormat;
  readonly form: Form;
  /** Of the channel and of its model. */
  readonly id: string;
  readonly goodId: string;
  readonly badModel: string;
}

function blockedChannels(): readonly Blocked[] {
  return STATUSES.flatMap((status) =>
    FORMATS.flatMap((format) =>
      FORMS.map((form) => {
        const { id } = answerOf(format, form, 0).recording;
        const bad =
          status === 401 ? `fault.first-1-status-401.${id}` : healingModel(1, madeId(format, 'forbidden'), id);
        const name = `refused-${status}-${format}-${form}`;
        return { status, format, form, id: name, goodId: `good--${format}`, badModel: `${name}.${bad}` };
      }),
    ),
  );
}

describe.skipIf(missing !== undefined)('a channel whose provider refuses its key', () => {
  const all = missing === undefined ? blockedChannels() : [];
  let bed: FaultBed;
  let healing: HealingUpstream;

  beforeAll(async () => {
    bed = await startFaultBed({
      configure: ({ bad, good }) => {
        healing = startHealingUpstream(bad.baseUrl);
        const refusing = all.map(({ status, format, id, badModel }) => {
          const baseUrl = status === 401 ? bad.baseUrl : healing.baseUrl;
          return channelOf({ id, format, baseUrl, models: { [id]: badModel }, breaker: { cooldown_ms: COOLDOWN_MS } });
        });
        const healthy = FORMATS.map((format) => {
          const served = all.filter((one) => one.format === format);
          const models = Object.fromEntries(served.map(({ id, form }) => [id, answerOf(format, form, 0).recording.id]));
          return channelOf({ id: `good--${format}`, format, baseUrl: good.baseUrl, models, priority: 1 });
        });
        return { channels: [...refusing, ...healthy] };
      },
    });
  }, 30_000);

  afterAll(async () => {
    await bed?.stop();
    await healing?.stop();
  });

  /** One request for each of the channels' models: the answers that are not as they should be. */
  async function wrongAnswers(isRight: (one: Blocked, answer: RawAnswer & Routing) => boolean): Promise<string[]> {
    const wrong = await inParallel(all, 8, async (one) => {
      const { format, form, id } = one;
      const answer = await ask(bed.place(), { format, form, model: id, prompt: 'What is the weather?' });
      const routed = { ...answer, ...routingOf(answer.headers) };
      const { responseBody } = answerOf(format, form, 0).recording;
      const isWhole = Bun.deepEquals(contentOf(one, answer.body), contentOf(one, responseBody));
      if (answer.status === 200 && isWhole && isRight(one, routed)) return [];
      return [
        `${id}: ${answer.status} of ${routed.channelId} after ${routed.retryCount}: ${answer.body.slice(0, 200)}`,
      ];
    });
    return wrong.flat();
  }

  const timesAsked = async () => {
    const journal = await bed.bad.journal();
    return all.map(({ id }) => journal.filter(({ url, body }) => url.includes(id) || body.includes(id)).length);
  };
  const once = all.map(() => 1);
  const isSpared = (one: Blocked, { channelId, retryCount }: Routing) => channelId === one.goodId && retryCount === 0;

  // The tests follow one another: each takes over where the one before has ended.
  test('another channel gives the whole answer', async () => {
    expect(
      await wrongAnswers((one, { channelId, retryCount }) => channelId === one.goodId && retryCount === 1),
    ).toEqual([]);
    expect(await timesAsked()).toEqual(once);
  });

  test('it is not asked again, however long it is left alone', async () => {
    expect(await wrongAnswers(isSpared)).toEqual([]);
    await Bun.sleep(4 * COOLDOWN_MS);
    expect(await wrongAnswers(isSpared)).toEqual([]);
    expect(await timesAsked()).toEqual(once);
  });

  test('the log, the metrics, the request log and the list of channels say so', async () => {
    const log = bed.serving().stdout + bed.serving().stderr;
    const metrics = await metricsOf(bed);
    const rows = await requestLog(bed, 3 * all.length);
    const list = await bed.space.run(['channels', 'list']);
    expect(list).toMatchObject({ exitCode: 0 });
    for (const { id } of all) {
      expect(log).toMatch(new RegExp(`"channelId":"${id}".*upstream_auth`));
      const of = (name: string) => metrics.filter((one) => one.name === name && one.labels.channel === id);
      expect(of('switchyard_attempt_failures_total')).toMatchObject([{ labels: { kind: 'upstream_auth' }, value: 1 }]);
      expect(of('switchyard_channel_up')).toMatchObject([{ value: 0 }]);
      const failed = rows.filter(({ model_id, failed_attempts }) => model_id === id && failed_attempts !== null);
      const attempts = failed.flatMap(({ failed_attempts }) => asArray(parseJson(failed_attempts ?? '')).map(asObject));
      expect(attempts).toMatchObject([{ channelId: id, kind: 'upstream_auth' }]);
      expect(list.stdout.split('\n').find((line) => line.includes(id))).toMatch(/blocked/i);
    }
  });

  test('it is not asked after a restart either', async () => {
    await bed.restart();
    expect(await wrongAnswers(isSpared)).toEqual([]);
    expect(await timesAsked()).toEqual(once);
  }, 20_000);

  test('it is used again once an operator enables it, while the gateway runs', async () => {
    const commands = await inParallel(all, 2, ({ id }) => bed.space.run(['channels', 'enable', id]));
    expect(commands.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    await until('the gateway has seen it', async () => {
      const metrics = await metricsOf(bed);
      return metrics.every(({ name, value }) => name !== 'switchyard_channel_up' || value === 1);
    });
    expect(await wrongAnswers((one, { channelId, retryCount }) => channelId === one.id && retryCount === 0)).toEqual(
      [],
    );
    expect(await timesAsked()).toEqual(all.map(() => 2));
  }, 40_000);
});
