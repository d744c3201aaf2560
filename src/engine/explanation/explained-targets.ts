import { Failure } from '../../domain/failure/failure.ts';
import type { Strategy } from '../../domain/routing/order.ts';
import type { ResponseStream } from '../call/lane.ts';
import type { Job } from '../call/operation.ts';
import { OtherWires } from '../call/other-wires.ts';
import { plan, strategyScore } from '../call/plan.ts';
import { type ChannelLimiters, isLimited } from '../channel-limits/channel-limiters.ts';
import type { Target } from '../directory/target.ts';
import type { ExplainedTarget } from './explanation.ts';

/** Preparing a request for a channel may translate it; no plan of a real gateway is asked that far. */
const MOST_PREPARED = 20;

export interface PlannedCall<T extends Target, S extends ResponseStream> {
  readonly job: Job<T, S>;
  readonly accountId: string;
  readonly strategy: Strategy;
  readonly nowMs: number;
  readonly limits: Pick<ChannelLimiters, 'runningAt' | 'waitingFor'>;
}

/** The request as it would go to a target. */
interface Prepared extends Pick<ExplainedTarget, 'target' | 'isRelayed' | 'losses' | 'problem'> {}

/**
 * Resolves to all targets of a request: those that would be asked, in their order, then the others. The rotation and the health of the
 * channels stay as they are. Among equal channels, the order of those behind the first is random in a real request; here the heavier ones
 * come first.
 */
export async function explainedTargets<T extends Target, S extends ResponseStream>(
  call: PlannedCall<T, S>,
): Promise<readonly ExplainedTarget[]> {
  const { job, accountId, strategy, nowMs } = call;
  const { ways, stream, affinity = null } = job;
  const still = { ...ways, rotation: ways.rotation.copy(ways.targets.map(({ place }) => place)) };
  const planned = plan({ ways: still, accountId, strategy, stream, affinity, nowMs, random: () => 0.5 });
  const ordered = job.candidates?.(planned) ?? planned;
  const prepared: Prepared[] = [];
  for (const [index, target] of ordered.entries()) {
    prepared.push(index < MOST_PREPARED ? await preparedFor(job, target) : unprepared(target));
  }
  const able = prepared.filter(({ problem }) => problem === null);
  // The loop asks a channel that loses something after those that lose nothing.
  const asked = [...able.filter(isLossless), ...able.filter((one) => !isLossless(one))];
  const unable = prepared.filter(({ problem }) => problem !== null);
  const resting = ways.targets.filter((target) => !planned.includes(target)).map(unprepared);
  return [
    ...asked.map((one, index) => ({
      ...explained(call, one),
      position: index + 1,
      reasons: reasonsOf(call, one, asked[index - 1] ?? null, asked[index + 1] ?? null),
    })),
    ...unable.map((one) => ({ ...explained(call, one), position: null, reasons: ['it cannot carry the request'] })),
    ...resting.map((one) => ({ ...explained(call, one), position: null, reasons: [restOf(call, one.target)] })),
  ];
}

function unprepared(target: Target): Prepared {
  return { target, isRelayed: null, losses: [], problem: null };
}

function isLossless({ losses }: Prepared): boolean {
  return losses.length === 0;
}

/** Writes the request for a target, or for another wire of the same channel if its first one cannot carry the request. */
async function preparedFor<T extends Target, S extends ResponseStream>(job: Job<T, S>, target: T): Promise<Prepared> {
  const otherWires = new OtherWires();
  const candidates = [otherWires.candidate(target, '')];
  let problem: Failure | null = null;
  for (let candidate = candidates.shift(); candidate !== undefined; candidate = candidates.shift()) {
    const lane = job.lane(candidate.target, candidate.target.routing.withRetries(0));
    const request = await lane.request();
    const failure = request instanceof Failure ? request : request.extras instanceof Failure ? request.extras : null;
    if (failure === null && !(request instanceof Failure)) {
      return { target: candidate.target, isRelayed: lane.isRelayed, losses: request.losses, problem: null };
    }
    if (failure === null) continue;
    problem ??= failure;
    candidates.push(...otherWires.after(candidate, failure));
  }
  return { target, isRelayed: null, losses: [], problem };
}

type Call = Pick<PlannedCall<never, never>, 'accountId' | 'strategy' | 'nowMs' | 'limits'> & {
  // A job of any targets: affinity is only ever asked about its own.
  readonly job: { readonly ways: Job['ways']; readonly stream: boolean; readonly affinity?: unknown };
};

function explained(call: Call, prepared: Prepared): Omit<ExplainedTarget, 'position' | 'reasons'> {
  const { health } = prepared.target;
  const { accountId, nowMs } = call;
  const isBlocked = health.channel.block !== null;
  const availableAtMs = health.admits(accountId, nowMs) ? null : health.availableAtMs(accountId, nowMs);
  return {
    ...prepared,
    state: isBlocked ? 'blocked' : health.stateAt(nowMs),
    availableInMs:
      availableAtMs === null || !Number.isFinite(availableAtMs) ? null : Math.max(0, availableAtMs - nowMs),
    load: loadOf(call, prepared.target),
    affinity: affinityOf(call, prepared.target),
    score: scoreOf(call, prepared.target),
  };
}

function loadOf({ limits }: Call, target: Target): ExplainedTarget['load'] {
  if (!isLimited(target)) return null;
  const { id } = target.channel;
  return { running: limits.runningAt(id), waiting: limits.waitingFor(id) };
}

function affinityOf({ job }: Call, target: Target): number | null {
  const affinity = job.affinity as ((target: Target) => number) | null | undefined;
  return affinity == null ? null : affinity(target);
}

function scoreOf({ job: { ways, stream }, strategy, nowMs }: Call, target: Target): number | null {
  const score = strategyScore({ ways, strategy, stream, nowMs }, target);
  return score === null ? null : Number(score);
}

function restOf({ accountId, nowMs }: Call, { health }: Target): string {
  const { block } = health.channel;
  if (block !== null) return `it is blocked: ${block.reason}`;
  if (nowMs < health.channel.cappedUntilMs) return 'its upstream key has spent all that its cap allows';
  const inMs = health.availableAtMs(accountId, nowMs) - nowMs;
  const last = health.lastFailure === null ? '' : `, after ${health.lastFailure.kind}`;
  return inMs > 0
    ? `it admits no requests for ${Math.ceil(inMs / 1_000)} s${last}`
    : `it waits for the result of a probe${last}`;
}

/** Returns why a target comes after the one before it; for the first one, why it comes before the next. */
function reasonsOf(call: Call, one: Prepared, before: Prepared | null, next: Prepared | null): readonly string[] {
  if (before === null) {
    if (next === null) return ['it is the only channel that can be asked now'];
    return [decided(call, one, next, true)];
  }
  return [decided(call, before, one, false)];
}

const NAMES: Readonly<Record<Strategy, string>> = {
  weighted: 'weight',
  'lowest-cost': 'cost',
  'lowest-latency': 'time to the first byte',
  'least-busy': 'requests in flight per weight',
};

/** Returns what put the first of two targets before the other, from the view of the first or of the second. */
function decided(call: Call, first: Prepared, second: Prepared, isFirst: boolean): string {
  const say = (ahead: string, behind: string) => (isFirst ? ahead : behind);
  const { target: one } = first;
  const { target: other } = second;
  if (isLossless(first) && !isLossless(second)) {
    return say('it loses nothing of the request', 'it loses parts of the request, which the channels before it do not');
  }
  if (affinityOf(call, one) !== affinityOf(call, other)) {
    return say('the conversation belongs to it (affinity)', 'the conversation belongs to another channel (affinity)');
  }
  if (one.isPrivate !== other.isPrivate) {
    return say("it is the account's own channel", "the account's own channels come first");
  }
  if (one.priority !== other.priority) {
    return say(
      `its priority ${one.priority} comes before ${other.priority}`,
      `its priority ${other.priority} comes after ${one.priority}`,
    );
  }
  if ((one.weight === 0) !== (other.weight === 0)) {
    return say(
      'the others of its priority have a weight of 0',
      'it has a weight of 0, so it is used if nothing else is left',
    );
  }
  const score = scoreOf(call, one);
  if (call.strategy !== 'weighted' && score !== scoreOf(call, other)) {
    const isMeasured = score !== null || call.strategy !== 'lowest-latency';
    if (!isMeasured)
      return say('its time to the first byte is not measured yet', 'channels without measurements come first');
    return say(`it has the lowest ${NAMES[call.strategy]}`, `its ${NAMES[call.strategy]} is not the lowest`);
  }
  return say(
    'it is its turn in the rotation by weight',
    'its turn in the rotation comes later; in a request, the order behind the first is drawn by weight',
  );
}
