import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import type { Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import { TestClock } from '../shared/test-clock.ts';
import type { Judge } from './all-channels-failed.ts';
import { ASK_LIMIT_MS, ask, routingOf } from './ask.ts';
import { type FaultBed, startFaultBed } from './bed.ts';
import { type BrokenServers, channelAddress, startBrokenServers } from './broken-servers.ts';
import { channelOf, TIMEOUTS } from './channels.ts';
import { FAULTS, type Fault } from './faults.ts';
import { inParallel } from './in-parallel.ts';
import { madeId } from './made-recordings.ts';
import { type Answers, driverOf, FORMATS } from './upstreams.ts';

/** Faults of the channel's key. Each has its own channel, because it blocks it. */
const KEY_FAULTS: readonly Fault[] = [
  {
    ...faultNamed('status-500'),
    name: 'status-401',
    model: (answers, format, form) => `fault.status-401.${answers.talkative(format, form, 0).recording.id}`,
  },
  { ...faultNamed('status-500'), name: 'key-forbidden', model: (_answers, format) => madeId(format, 'key-forbidden') },
  { ...faultNamed('status-500'), name: 'forbidden', model: (_answers, format) => madeId(format, 'forbidden') },
];

/** The client's status, which is that of the failure, because no other channel can hide it. */
const STATUSES: Readonly<Record<string, number>> = { 'status-429': 429, hang: 504, 'slow-60000': 504, 'hang-mid': 504 };
const OTHERWISE = 502;
/** Anthropic's API has a separate status for overload, which its clients handle. */
const OVERLOADS: ReadonlySet<string> = new Set(['status-529', 'error-first', 'error-whole']);

/** The classes that users of the SDKs catch. */
const CLASSES: Readonly<Record<ClientFormat, (status: number) => abstract new (...args: never[]) => Error>> = {
  'openai-chat': (status) => (status === 429 ? OpenAI.RateLimitError : OpenAI.InternalServerError),
  'openai-responses': (status) => (status === 429 ? OpenAI.RateLimitError : OpenAI.InternalServerError),
  'anthropic-messages': (status) => (status === 429 ? Anthropic.RateLimitError : Anthropic.InternalServerError),
  gemini: () => ApiError,
};

interface Lone {
  readonly fault: Fault;
  readonly format: ClientFormat;
  readonly form: Form;
  readonly id: string;
  readonly channel: string;
  readonly badModel: string;
}

function loneModels(answers: Answers): readonly Lone[] {
  return [...FAULTS, ...KEY_FAULTS].flatMap((fault, index) =>
    FORMATS.flatMap((format) =>
      fault.forms.flatMap((form) => {
        // Once a stream has begun the status is sent; the tests with two channels check what its client gets.
        if (fault.isInStream(form)) return [];
        const id = `lone-${index}-${format}-${form}`;
        const channel = KEY_FAULTS.includes(fault) ? id : `${fault.place}--${format}`;
        return [{ fault, format, form, id, channel, badModel: `${id}.${fault.model(answers, format, form, 0)}` }];
      }),
    ),
  );
}

/** Tests what clients and their SDKs get for a failure that no other channel can hide. */
export function describeSingleChannel(answers: Answers, judge: Judge = () => []): void {
  describe('a model whose only channel fails', () => {
    const all = loneModels(answers);
    let bed: FaultBed;
    let broken: BrokenServers;
    let failed: ReadonlyMap<Lone, FailedAnswer> = new Map();

    beforeAll(async () => {
      broken = await startBrokenServers();
      const { stop } = broken;
      bed = await startFaultBed({
        answers,
        clock: new TestClock(),
        stop,
        configure: ({ bad }) => ({
          channels: [...Map.groupBy(all, ({ channel }) => channel)].map(([id, served]) => {
            const [{ format, fault }] = served as [Lone, ...Lone[]];
            const timeouts = TIMEOUTS[fault.place];
            const models = Object.fromEntries(served.map((one) => [one.id, one.badModel]));
            const baseUrl = channelAddress(fault.place, bad, broken);
            return channelOf({ id, format, baseUrl, models, ...(timeouts && { timeouts }) });
          }),
        }),
      });
      const found = await inParallel(all, 12, async (one) => [one, await failedAnswer(bed, one)] as const);
      failed = new Map(found);
    }, 600_000);

    afterAll(async () => {
      await bed?.stop();
    });

    for (const name of new Set(all.map(({ fault }) => fault.name))) {
      test.each(FORMATS)(
        `${name}: %s gets an error of its own format, and its SDK raises the right class`,
        (format) => {
          const found = all.filter((one) => one.fault.name === name && one.format === format);
          expect(found.length).toBeGreaterThan(0);
          const problems = found.flatMap((one) =>
            problemsOf(judge, one, failed.get(one)).map((line) => `${one.form}: ${line}`),
          );
          expect(problems).toEqual([]);
        },
      );
    }

    test.each(FORMATS)('%s gets Retry-After with a 429', async (format) => {
      const one = all.find((lone) => lone.fault.name === 'status-429' && lone.format === format);
      const answer = await ask(bed.place(), { format, form: 'whole', model: one?.id ?? '', prompt: 'Hello' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    });
  });
}

/** The response on the wire, and the error that the SDK threw. */
interface FailedAnswer {
  readonly thrown: unknown;
  readonly wire: { readonly status: number; readonly headers: Headers; readonly body: string } | null;
}

async function failedAnswer(bed: FaultBed, { format, form, id }: Lone): Promise<FailedAnswer> {
  const signal = AbortSignal.timeout(ASK_LIMIT_MS);
  let wire: FailedAnswer['wire'] = null;
  const tapped = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    const body = await response.clone().text();
    wire = { status: response.status, headers: response.headers, body };
    return response;
  };
  const target = { ...bed.place(), model: id };
  // Bun's `fetch` also has a `preconnect`, which no SDK calls.
  const call = { target, form, withTools: true, dialect: '', fetch: tapped as typeof fetch, signal };
  const thrown = await driverOf(format)
    .run(call)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  return { thrown, wire };
}

function problemsOf(
  judge: Judge,
  { fault, format, channel }: Lone,
  answer: FailedAnswer | undefined,
): readonly string[] {
  if (answer?.wire == null) return [`there was no answer: ${answer?.thrown}`];
  const { thrown, wire } = answer;
  const isOverload = format === 'anthropic-messages' && OVERLOADS.has(fault.name);
  const status = isOverload ? 529 : (STATUSES[fault.name] ?? OTHERWISE);
  const problems: string[] = [];
  if (wire.status !== status) problems.push(`status ${wire.status}, expected ${status}: ${wire.body.slice(0, 200)}`);
  const raised = driverOf(format).ownError(thrown)?.status;
  if (raised !== status) problems.push(`the SDK's error has status ${raised}: ${thrown}`);
  const Expected = CLASSES[format](status);
  if (!(thrown instanceof Expected)) problems.push(`the SDK raised ${thrown}, expected ${Expected.name}`);
  problems.push(...judge(format, parseJson(wire.body)).map((line) => `invalid: ${line}`));
  if (/rec-|127\.0\.0\.1|upstream-key|\.invalid/.test(wire.body)) problems.push(`it tells too much: ${wire.body}`);
  const { message } = asObject(asObject(parseJson(wire.body)).error);
  if (String(message).length < 10) problems.push(`the message is ${message}`);
  if (routingOf(wire.headers).channelId !== channel) problems.push('x-routing does not name the channel');
  return problems;
}

function faultNamed(name: string): Fault {
  const fault = FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}
