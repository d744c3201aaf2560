import { isDeepStrictEqual } from 'node:util';
import { readingDifferences } from '../matrix/compare.ts';
import { drive, type Outcome } from '../matrix/sdks/index.ts';
import { ask, contentOf, type RawAnswer, type Routing, routingOf } from './ask.ts';
import type { FaultBed } from './bed.ts';
import type { FaultCase } from './faults.ts';
import { readInChunks } from './sdk-streams.ts';
import { driverOf } from './upstreams.ts';

/** The problems found, by topic; empty if there are none. */
export interface CaseRun {
  readonly one: FaultCase;
  /** Problems with the first client's response. */
  readonly answer: readonly string[];
  /** Problems with the rotation: enough failures must take the channel out. */
  readonly rotation: readonly string[];
  /** Prompts that the failing channel got first, and those sent after it was out of rotation. */
  readonly prompts: { readonly failed: readonly string[]; readonly spared: readonly string[] };
  readonly requests: number;
}

/** The default of `minimum_requests`: the number of failures that open the breaker. */
const FAILURES_TO_OPEN = 5;
const SPARED_REQUESTS = 2;

/** Sends the requests of one case, the first with the client's own SDK, until the failing channel is out of rotation and beyond. */
export async function runCase(bed: FaultBed, one: FaultCase): Promise<CaseRun> {
  const log = new Asking(bed, one);
  const isInStream = one.fault.isInStream(one.form);
  const first = isInStream ? await brokenProblems(log) : answerProblems(one, await log.sdk(), 1);
  const rotation = one.fault.name === 'status-429' ? await restProblems(log) : await rotationProblems(log);
  const { failed, spared, requests } = log;
  return { one, answer: first, rotation, prompts: { failed, spared }, requests };
}

/** Sends the requests of one case, each with a unique prompt. */
class Asking {
  requests = 0;
  readonly failed: string[] = [];
  readonly spared: string[] = [];

  constructor(
    readonly bed: FaultBed,
    readonly one: FaultCase,
  ) {}

  sdk(): Promise<Outcome> {
    this.requests++;
    const { client, publicId, form, lane, good } = this.one;
    const dialect = lane.good === client ? good.recording.provider : '';
    return drive(driverOf(client), {
      ...{ form, withTools: true, dialect },
      target: { ...this.bed.place(), model: publicId },
    });
  }

  async raw(): Promise<RawAnswer & Routing> {
    const { asked, prompt } = this.next();
    const answer = await ask(this.bed.place(), asked);
    const routing = routingOf(answer.headers);
    (this.isSpared(routing) ? this.spared : this.failed).push(prompt);
    return { ...answer, ...routing };
  }

  chunks(): ReturnType<typeof readInChunks> {
    const { asked, prompt } = this.next();
    this.failed.push(prompt);
    return readInChunks(this.bed.place(), asked);
  }

  isSpared({ channelId, retryCount }: Routing): boolean {
    return channelId === this.one.goodChannel && retryCount === 0;
  }

  private next() {
    const { client: format, form, publicId: model } = this.one;
    const prompt = `Request ${this.requests++} of ${model}: what is the weather in Paris?`;
    return { asked: { format, form, model, prompt }, prompt };
  }
}

/** Returns an empty list if an SDK's user got the whole response of the healthy channel after this number of retries. */
function answerProblems(one: FaultCase, outcome: Outcome, retries: number): readonly string[] {
  const { reading, error, wire } = outcome;
  if (outcome.timedOut) return ['hangs: did not end within the limit'];
  if (reading === null || wire === null) {
    return [`the SDK raised ${error?.name}: ${error?.message} (${wire?.status}: ${wire?.body.slice(0, 300)})`];
  }
  const { client, lane, publicId, goodChannel, good: recorded } = one;
  if (recorded.expected === null) return ['there is nothing to compare with'];
  const how = lane.good === client ? 'relayed' : 'translated';
  const problems = [...readingDifferences(recorded, recorded.expected, client, how, reading)];
  if (reading.model !== publicId) problems.push(`the answer names the model ${reading.model}`);
  const { channelId, retryCount } = routingOf(wire.headers);
  if (channelId !== goodChannel) problems.push(`x-routing names the channel ${channelId}`);
  if (retryCount !== retries) problems.push(`x-routing has ${retryCount} retries, expected ${retries}`);
  if (!wire.body.includes(`"retryCount":${retries}`)) problems.push('the body has not the same number of retries');
  return problems;
}

async function brokenProblems(log: Asking): Promise<readonly string[]> {
  let broken = await log.chunks();
  // On a busy machine a reset may discard everything that arrived; then the other channel has answered.
  for (let tries = 1; tries < 3 && broken.error === undefined; tries++) broken = await log.chunks();
  const { chunks, error, isOwn } = broken;
  const problems: string[] = [];
  if (chunks < 1) problems.push('no chunk came before the failure');
  if (error === undefined) problems.push(`the SDK raised no error after ${chunks} chunks`);
  else if (!isOwn) problems.push(`the SDK raised an error of another class: ${String(error)}`);
  return problems;
}

/** After the fifth failure the channel is out of rotation: clients get the whole response without a retry. */
async function rotationProblems(log: Asking): Promise<readonly string[]> {
  let answer = await log.raw();
  while (!log.isSpared(answer) && log.requests <= FAILURES_TO_OPEN + 1) answer = await log.raw();
  if (!log.isSpared(answer)) {
    return [`still in rotation after ${log.requests} requests: ${answer.status}, ${shown(answer)}`];
  }
  const problems: string[] = [];
  if (log.requests <= FAILURES_TO_OPEN) problems.push(`out of rotation after ${log.requests - 1} failures`);
  const outcome = await log.sdk();
  problems.push(...answerProblems(log.one, outcome, 0));
  for (let count = 0; count < SPARED_REQUESTS; count++) {
    answer = await log.raw();
    if (!log.isSpared(answer)) problems.push(`back in rotation too soon: ${shown(answer)}`);
    else if (outcome.wire !== null) problems.push(...differentContent(log.one, outcome.wire.body, answer.body));
  }
  return problems;
}

/** A rate limit starts a cooldown at once, for as long as the upstream says; the gateway's clock stands still. */
async function restProblems(log: Asking): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let count = 0; count < SPARED_REQUESTS; count++) {
    const answer = await log.raw();
    if (!log.isSpared(answer)) problems.push(`asked again within its Retry-After: ${shown(answer)}`);
  }
  return problems;
}

function differentContent(one: FaultCase, expected: string, actual: string): readonly string[] {
  const asked = { format: one.client, form: one.form };
  return isDeepStrictEqual(contentOf(asked, expected), contentOf(asked, actual))
    ? []
    : [`not the earlier response: ${actual.slice(0, 300)}`];
}

function shown({ status, channelId, retryCount, body }: RawAnswer & Routing): string {
  return `${status} of ${channelId} after ${retryCount} retries: ${body.slice(0, 200)}`;
}
