import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Asked, ask, contentOf, type RawAnswer, type Routing, routingOf } from '../../conformance/faults/ask.ts';
import { type FaultBed, startFaultBed } from '../../conformance/faults/bed.ts';
import { channelOf, IDLE_MS } from '../../conformance/faults/channels.ts';
import { type HealingUpstream, healingModel, startHealingUpstream } from '../../conformance/faults/healing-upstream.ts';
import { inParallel } from '../../conformance/faults/in-parallel.ts';
import { type Made, madeId } from '../../conformance/faults/made-recordings.ts';
import { Answers, FORMATS, FORMS } from '../../conformance/faults/upstreams.ts';
import type { Form } from '../../conformance/matrix/sdks/index.ts';
import type { ClientFormat } from '../../conformance/readers/index.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import { ownExchanges } from '../../conformance/shared/recordings.ts';
import { type Replay, startReplay } from '../../conformance/shared/replay.ts';
import { TestClock } from '../../conformance/shared/test-clock.ts';

const answers = new Answers(ownExchanges());

/** The failures that open the breaker, after which the upstream is healthy. */
const FAILURES = 3;
const BREAKER = { minimum_requests: FAILURES, window_ms: 10_000, cooldown_ms: 200 };
/** The replay server's 429 asks for a cooldown of a second, so each one opens the breaker by itself. */
const FAILURES_OF = (fault: string) => (fault === 'status-429' ? 1 : FAILURES);

/** The faults that the replay server can end after a number of requests. */
const REPLAYED = [
  ...['status-429', 'status-500', 'status-503', 'status-529', 'reset', 'hang', 'slow-60000', 'garbage'],
  ...['reset-mid', 'hang-mid'],
];
const MADE: Readonly<Record<string, Readonly<Record<Form, Made>>>> = {
  'error in a 200': { whole: 'error-whole', stream: 'error-first' },
  'empty answer': { whole: 'empty-whole', stream: 'empty-stream' },
  'error-mid': { whole: 'error-whole', stream: 'error-mid' },
};
const REFUSED = 'refused';
const FAULTS = [...REPLAYED, ...Object.keys(MADE), REFUSED];
const SILENT = ['hang', 'slow-60000'];
const SILENT_MID = 'hang-mid';
const IN_THE_MIDDLE = ['reset-mid', 'hang-mid', 'error-mid'];

interface Patient {
  readonly fault: string;
  readonly format: ClientFormat;
  readonly form: Form;
  readonly publicId: string;
  readonly badChannel: string;
  readonly badModel: string;
  readonly goodModel: string;
}

function patients(): readonly Patient[] {
  return FAULTS.flatMap((fault) => FORMATS.flatMap((format) => FORMS.map((form) => ({ fault, format, form })))).map(
    ({ fault, format, form }, index) => {
      const { id } = answers.talkative(format, form, 0).recording;
      const made = MADE[fault]?.[form];
      const bad =
        made !== undefined
          ? healingModel(FAILURES, madeId(format, made), id)
          : fault === REFUSED
            ? id
            : `fault.first-${FAILURES_OF(fault)}-${fault}.${id}`;
      const place = made !== undefined ? 'healing' : placeOf(fault);
      return {
        ...{ fault, format, form, publicId: `public-${index}`, badChannel: `${place}--${format}` },
        ...{ badModel: `patient-${index}.${bad}`, goodModel: `patient-${index}.${id}` },
      };
    },
  );
}

function placeOf(fault: string): 'refused' | 'silent' | 'silent-mid' | 'replayed' {
  if (fault === REFUSED) return 'refused';
  if (fault === SILENT_MID) return 'silent-mid';
  return SILENT.includes(fault) ? 'silent' : 'replayed';
}

/** Timeouts in real time, longer than the response of a healthy upstream takes. */
const TIMEOUTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  silent: { first_byte_ms: 1_500 },
  'silent-mid': { idle_ms: IDLE_MS },
};

const ACCOUNTS = [
  ['the only account', false],
  ['one of several accounts', true],
] as const;

describe.each(ACCOUNTS)('a channel that was out of rotation for %s', (_whose, hasSecondAccount) => {
  const all = patients();
  const clock = new TestClock();
  let bed: FaultBed;
  let healing: HealingUpstream;
  let late: Replay | undefined;
  let problems: readonly (readonly string[])[] = [];

  beforeAll(async () => {
    const port = await freePort();
    bed = await startFaultBed({
      ...{ answers, clock, hasSecondAccount },
      configure: ({ bad, good }) => {
        healing = startHealingUpstream(bad.baseUrl);
        const refused = `http://127.0.0.1:${port}/v1`;
        const { baseUrl } = bad;
        const inReplay = { replayed: baseUrl, silent: baseUrl, 'silent-mid': baseUrl };
        const baseUrls = { ...inReplay, healing: healing.baseUrl, refused };
        return { channels: channels(all, baseUrls, good.baseUrl) };
      },
    });
    const before = await inParallel(all, CONCURRENT, (one) => failFirst(bed, one));
    late = await startReplay({ port });
    const after = await inParallel(all, CONCURRENT, (one) => comeBack(bed, clock, one));
    problems = all.map((_, index) => [...(before[index] ?? []), ...(after[index] ?? [])]);
  }, 600_000);

  afterAll(async () => {
    await bed?.stop();
    await healing?.stop();
    await late?.stop();
  });

  for (const fault of FAULTS) {
    test.each(FORMATS)(`recovers for %s after ${fault}`, (format) => {
      const found = all.flatMap((one, index) =>
        one.fault === fault && one.format === format ? [{ form: one.form, problems: problems[index] }] : [],
      );
      expect(found).toEqual(FORMS.map((form) => ({ form, problems: [] })));
    });
  }
});

function channels(
  all: readonly Patient[],
  baseUrls: Readonly<Record<string, string>>,
  goodBaseUrl: string,
): readonly object[] {
  const failing = [...Map.groupBy(all, ({ badChannel }) => badChannel)].flatMap(([id, served]) => {
    const format = served[0]?.format;
    const baseUrl = baseUrls[id.split('--')[0] ?? ''];
    if (format === undefined || baseUrl === undefined) return [];
    const models = Object.fromEntries(served.map(({ publicId, badModel }) => [publicId, badModel]));
    const timeouts = TIMEOUTS[id.split('--')[0] ?? ''];
    return channelOf({ id, format, baseUrl, models, breaker: BREAKER, ...(timeouts && { timeouts }) });
  });
  const healthy = FORMATS.map((format) => {
    const served = all.filter((one) => one.format === format);
    const models = Object.fromEntries(served.map(({ publicId, goodModel }) => [publicId, goodModel]));
    return channelOf({ id: `good--${format}`, format, baseUrl: goodBaseUrl, models, priority: 1 });
  });
  return [...failing, ...healthy];
}

let count = 0;
async function askFor(bed: FaultBed, { format, form, publicId }: Patient): Promise<RawAnswer & Routing> {
  const asked: Asked = { format, form, model: publicId, prompt: `Question ${count++}: what is the weather?` };
  const answer = await ask(bed.place(), asked);
  return { ...answer, ...routingOf(answer.headers) };
}

/** While the upstream fails, other channels answer or the stream breaks off, but each request tries the channel. */
async function failFirst(bed: FaultBed, one: Patient): Promise<readonly string[]> {
  const problems: string[] = [];
  const isInStream = one.form === 'stream' && IN_THE_MIDDLE.includes(one.fault);
  for (let request = 0; request < FAILURES_OF(one.fault); request++) {
    const answer = await askFor(bed, one);
    // On a busy machine a reset may discard everything that arrived; then the response has not begun.
    const isExpected = answer.retryCount === 1 || (isInStream && answer.channelId === one.badChannel);
    if (!isExpected) problems.push(`failure ${request + 1}: ${shown(answer)}`);
  }
  return problems;
}

const CONCURRENT = 24;
/** On the test clock: far longer than the longest cooldown after these few failures. */
const COMES_BACK_WITHIN_MS = 600_000;
const STAYS_FOR = 3;

/** Now the upstream is healthy: no client sees a failure, and the channel soon answers again and continues to. */
async function comeBack(bed: FaultBed, clock: TestClock, one: Patient): Promise<readonly string[]> {
  const { recording } = answers.talkative(one.format, one.form, 0);
  const expected = JSON.stringify(contentOf(one, recording.responseBody));
  const whole = (answer: RawAnswer & Routing) =>
    answer.status === 200 && JSON.stringify(contentOf(one, answer.body)) === expected;
  const limitMs = clock.monotonicMs() + COMES_BACK_WITHIN_MS;
  let answer = await askFor(bed, one);
  while (answer.channelId !== one.badChannel || answer.retryCount !== 0) {
    if (!whole(answer)) return [`while it was out: ${shown(answer)}`];
    if (clock.monotonicMs() > limitMs) return [`not back within ${COMES_BACK_WITHIN_MS} ms: ${shown(answer)}`];
    clock.advance(BREAKER.cooldown_ms);
    answer = await askFor(bed, one);
  }
  const problems = whole(answer) ? [] : [`its first answer: ${shown(answer)}`];
  for (let request = 0; request < STAYS_FOR; request++) {
    answer = await askFor(bed, one);
    const isBack = answer.channelId === one.badChannel && answer.retryCount === 0 && whole(answer);
    if (!isBack) problems.push(`after it came back: ${shown(answer)}`);
  }
  return problems;
}

function shown({ status, channelId, retryCount, body }: RawAnswer & Routing): string {
  return `${status} of ${channelId} after ${retryCount} retries: ${body.slice(0, 300)}`;
}
