import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { metricsOf } from '../shared/metrics.ts';
import { ownExchanges } from '../shared/recordings.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { ask, contentOf, type RawAnswer, type Routing, routingOf } from './ask.ts';
import { type FaultBed, requestLog, startFaultBed } from './bed.ts';
import { channelOf } from './channels.ts';
import { type HealingUpstream, healingModel, startHealingUpstream } from './healing-upstream.ts';
import { inParallel } from './in-parallel.ts';
import { madeId } from './made-recordings.ts';
import { Answers, FORMATS, FORMS } from './upstreams.ts';

const answers = new Answers(ownExchanges());
const clock = new TestClock();

const COOLDOWN_MS = 200;

/** A way in which a provider refuses the key. */
interface Refusal {
  readonly name: string;
  /** The kind in the request log and the metrics. */
  readonly kind: string;
  /** The number of requests that the provider refuses. */
  readonly times: number;
  /** The upstream that first refuses and then answers. */
  readonly place: 'replay' | 'healing';
  readonly model: (format: ClientFormat, recordingId: string) => string;
}

const REFUSALS: readonly Refusal[] = [
  {
    ...{ name: 'status-401', kind: 'upstream_auth', times: 1, place: 'replay' },
    model: (_format, id) => `fault.first-1-status-401.${id}`,
  },
  {
    ...{ name: 'key-forbidden', kind: 'upstream_auth', times: 1, place: 'healing' },
    model: (format, id) => healingModel(1, madeId(format, 'key-forbidden'), id),
  },
  {
    // The refusal may concern one prompt only, so the gateway sends a harmless probe before it blocks the channel.
    ...{ name: 'forbidden', kind: 'forbidden', times: 2, place: 'healing' },
    model: (format, id) => healingModel(2, madeId(format, 'forbidden'), id),
  },
];

/** A block affects the whole channel, so each case has its own channel. */
interface Blocked {
  readonly refusal: Refusal;
  readonly format: ClientFormat;
  readonly form: Form;
  /** The id of the channel and its model. */
  readonly id: string;
  readonly goodId: string;
  readonly badModel: string;
}

function blockedChannels(): readonly Blocked[] {
  return REFUSALS.flatMap((refusal) =>
    FORMATS.flatMap((format) =>
      FORMS.map((form) => {
        const id = `refused-by-${refusal.name}-${format}-${form}`;
        const bad = refusal.model(format, answers.of(format, form, 0).recording.id);
        return { refusal, format, form, id, goodId: `good--${format}`, badModel: `${id}.${bad}` };
      }),
    ),
  );
}

/** A channel whose provider refuses a single prompt. */
const offendedId = (format: ClientFormat) => `offended-${format}`;

describe('a channel whose provider refuses its key', () => {
  const all = blockedChannels();
  let bed: FaultBed;
  let healing: HealingUpstream;

  beforeAll(async () => {
    bed = await startFaultBed({
      ...{ answers, clock },
      configure: ({ bad, good }) => {
        healing = startHealingUpstream(bad.baseUrl);
        const refusing = all.map(({ refusal, format, id, badModel }) => {
          const baseUrl = refusal.place === 'replay' ? bad.baseUrl : healing.baseUrl;
          return channelOf({ id, format, baseUrl, models: { [id]: badModel }, breaker: { cooldown_ms: COOLDOWN_MS } });
        });
        const offended = FORMATS.map((format) => {
          const { id } = answers.of(format, 'whole', 0).recording;
          const name = offendedId(format);
          const models = { [name]: `${name}.${healingModel(1, madeId(format, 'forbidden'), id)}` };
          return channelOf({ id: name, format, baseUrl: healing.baseUrl, models });
        });
        const healthy = FORMATS.map((format) => {
          const served = all.filter((one) => one.format === format);
          const models = Object.fromEntries([
            ...served.map(({ id, form }) => [id, answers.of(format, form, 0).recording.id]),
            [offendedId(format), answers.of(format, 'whole', 0).recording.id],
          ]);
          return channelOf({ id: `good--${format}`, format, baseUrl: good.baseUrl, models, priority: 1 });
        });
        return { channels: [...refusing, ...offended, ...healthy] };
      },
    });
  }, 600_000);

  afterAll(async () => {
    await bed?.stop();
    await healing?.stop();
  });

  /** Sends one request for each of the channels' models and resolves to the wrong responses. */
  async function wrongAnswers(isRight: (one: Blocked, answer: RawAnswer & Routing) => boolean): Promise<string[]> {
    const wrong = await inParallel(all, 8, async (one) => {
      const { format, form, id } = one;
      const answer = await ask(bed.place(), { format, form, model: id, prompt: 'What is the weather?' });
      const routed = { ...answer, ...routingOf(answer.headers) };
      const { responseBody } = answers.of(format, form, 0).recording;
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
    return all.map(
      ({ id }) => journal.filter(({ url, body }) => url.includes(`${id}.`) || body.includes(`${id}.`)).length,
    );
  };
  const areUp = async (expected: 0 | 1) => {
    const metrics = await metricsOf(bed.serving());
    const up = metrics.filter(({ name }) => name === 'switchyard_channel_up');
    return all.every(({ id }) => up.find(({ labels }) => labels.channel === id)?.value === expected);
  };
  const timesRefused = all.map(({ refusal }) => refusal.times);
  const isSpared = (one: Blocked, { channelId, retryCount }: Routing) => channelId === one.goodId && retryCount === 0;

  // The tests build on each other: each starts in the state that the previous one left.
  test('another channel gives the whole response', async () => {
    expect(
      await wrongAnswers((one, { channelId, retryCount }) => channelId === one.goodId && retryCount === 1),
    ).toEqual([]);
    await until('the channels are out of use', () => areUp(0));
    expect(await timesAsked()).toEqual(timesRefused);
  });

  test('it is not tried again, however much time passes', async () => {
    expect(await wrongAnswers(isSpared)).toEqual([]);
    clock.advance(1_000 * COOLDOWN_MS);
    expect(await wrongAnswers(isSpared)).toEqual([]);
    expect(await timesAsked()).toEqual(timesRefused);
  });

  test('the log, the metrics, the request log and the channel list show the block', async () => {
    const log = bed.serving().stdout + bed.serving().stderr;
    const metrics = await metricsOf(bed.serving());
    const rows = await requestLog(bed, 3 * all.length);
    const list = await bed.space.run(['channels', 'list']);
    expect(list).toMatchObject({ exitCode: 0 });
    for (const { id, refusal } of all) {
      expect(log).toMatch(new RegExp(`"channel_id":"${id}".*${refusal.kind}`));
      const of = (name: string) => metrics.filter((one) => one.name === name && one.labels.channel === id);
      expect(of('switchyard_attempt_failures_total')).toMatchObject([{ labels: { kind: refusal.kind }, value: 1 }]);
      expect(of('switchyard_channel_up')).toMatchObject([{ value: 0 }]);
      const failed = rows.filter(({ model_id, failed_attempts }) => model_id === id && failed_attempts !== null);
      const attempts = failed.flatMap(({ failed_attempts }) => asArray(parseJson(failed_attempts ?? '')).map(asObject));
      expect(attempts).toMatchObject([{ channelId: id, kind: refusal.kind }]);
      expect(list.stdout.split('\n').find((line) => line.includes(id))).toMatch(/blocked/i);
    }
  });

  test('it is not tried after a restart', async () => {
    await bed.restart();
    expect(await wrongAnswers(isSpared)).toEqual([]);
    expect(await timesAsked()).toEqual(timesRefused);
  }, 600_000);

  test('it is used again once an operator enables it, while the gateway runs', async () => {
    const commands = await inParallel(all, 2, ({ id }) => bed.space.run(['channels', 'enable', id]));
    expect(commands.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    await until('the gateway has noticed', () => areUp(1));
    expect(await wrongAnswers((one, { channelId, retryCount }) => channelId === one.id && retryCount === 0)).toEqual(
      [],
    );
    expect(await timesAsked()).toEqual(timesRefused.map((times) => times + 1));
  }, 600_000);

  test.each(FORMATS)('a 403 for one prompt does not block the channel for others (%s)', async (format) => {
    const model = offendedId(format);
    const asked = { format, form: 'whole', model, prompt: 'Something that a firewall takes for an attack' } as const;
    const first = await ask(bed.place(), asked);
    expect(routingOf(first.headers)).toEqual({ channelId: `good--${format}`, retryCount: 1 });
    await until('the gateway has probed the channel', async () => {
      const journal = await bed.bad.journal();
      return journal.filter(({ url, body }) => url.includes(model) || body.includes(model)).length === 2;
    });
    const other = await ask(bed.place(), { ...asked, prompt: 'What is the weather?' });
    expect(other.status).toBe(200);
    expect(routingOf(other.headers)).toEqual({ channelId: model, retryCount: 0 });
  });
});
