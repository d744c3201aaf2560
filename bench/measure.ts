import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { LineProcess } from './child-process.ts';
import type { LoadCommand, LoadPlan, LoadResult, RequestTemplate } from './load/protocol.ts';
import { type CorePlan, readFamilyUsage, watchPeakRss } from './process-statistics.ts';
import type { Scenario } from './scenarios.ts';
import { putInForm } from './targets/request-form.ts';
import type { Target, TargetSurroundings } from './targets/targets.ts';

/** One target under one load, once. */
export interface Round {
  readonly load: LoadResult;
  readonly cpuMs: number;
  readonly rssBeforeBytes: number;
  readonly rssPeakBytes: number;
  readonly processes: number;
  readonly threads: number | undefined;
  /** The number of requests that reached the mock upstream. */
  readonly upstreamRequests: number;
  readonly upstreamPeakStreams: number;
}

export interface TargetRounds {
  readonly target: string;
  readonly rounds: Round[];
}

/** The resident memory after the first and after the second number of requests. */
export interface MemoryPair {
  readonly target: string;
  readonly firstBytes: number;
  readonly secondBytes: number;
  readonly lost: number;
}

export interface Bench {
  readonly load: LineProcess;
  readonly upstreamPort: number;
  readonly cores: CorePlan;
  readonly folder: string;
  /** The checkout whose gateway is the target `gateway-before`. */
  readonly against?: string;
  /** Starts one of the scenarios' servers; throws an Error with the reason if it cannot. */
  readonly start: (name: string, surroundings: TargetSurroundings) => Promise<Target>;
  /** Reports something unexpected to the reader. */
  readonly note: (text: string) => void;
}

const basePatienceMs = 20_000;

function requestFor(scenario: Scenario, target: Target): RequestTemplate {
  const template = target.name.startsWith('gateway') ? scenario.request : (scenario.baseline ?? scenario.request);
  return target.requestForm === undefined ? template : putInForm(template, target.requestForm);
}

async function applyLoad(bench: Bench, target: Target, request: RequestTemplate, plan: LoadPlan): Promise<LoadResult> {
  const requests = plan.kind === 'closed' ? (plan.requests ?? 0) : 0;
  const patienceMs = (plan.kind === 'streams' ? 90_000 : basePatienceMs) + requests * 2;
  const command: LoadCommand = { port: target.port, request, plan, patienceMs };
  return JSON.parse(await bench.load.ask(JSON.stringify(command))) as LoadResult; // Written by our own load generator.
}

interface UpstreamStatistics {
  readonly requests: number;
  readonly peakOpenStreams: number;
  readonly exports: Exports;
}

/** Counts and sizes of exports, by target and signal. */
export type Exports = Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;

/** Resolves to the telemetry that the mock upstream has taken since its start. */
export async function exportsTo(bench: Bench): Promise<Exports> {
  return (await upstreamStatistics(bench)).exports;
}

async function upstreamStatistics(bench: Bench): Promise<UpstreamStatistics> {
  const response = await fetch(`http://127.0.0.1:${bench.upstreamPort}/stats`);
  return (await response.json()) as UpstreamStatistics; // Written by our own mock upstream.
}

async function measureRound(bench: Bench, target: Target, scenario: Scenario): Promise<Round> {
  const upstreamBefore = await upstreamStatistics(bench);
  const before = readFamilyUsage(target.process.pid);
  const watch = watchPeakRss(target.process.pid);
  const load = await applyLoad(bench, target, requestFor(scenario, target), scenario.plan);
  const rssPeakBytes = watch.stop();
  const after = readFamilyUsage(target.process.pid);
  const upstreamAfter = await upstreamStatistics(bench);
  if (load.lost > 0) bench.note(`${target.name}: ${load.lost} requests failed; the first: ${load.firstProblem}`);
  return {
    load,
    cpuMs: after.cpuMs - before.cpuMs,
    rssBeforeBytes: before.rssBytes,
    rssPeakBytes,
    processes: after.processes,
    threads: after.threads,
    upstreamRequests: upstreamAfter.requests - upstreamBefore.requests,
    upstreamPeakStreams: upstreamAfter.peakOpenStreams,
  };
}

async function tryStart(bench: Bench, name: string): Promise<Target | undefined> {
  const folder = mkdtempSync(join(bench.folder, `${name}-`));
  mkdirSync(join(folder, 'data'));
  try {
    const { upstreamPort, cores, against } = bench;
    const checkout = name === 'gateway-before' && against !== undefined ? { checkout: against } : {};
    return await bench.start(name, { upstreamPort, prefix: cores.serverPrefix, folder, ...checkout });
  } catch (error) {
    bench.note(`${name} skipped: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Resolves to false, with a note, if the target cannot answer the scenario's request at all. */
async function warmUp(bench: Bench, target: Target, scenario: Scenario): Promise<boolean> {
  const request = scenario.warmUp ?? requestFor(scenario, target);
  const limit = scenario.warmUpMs === undefined ? {} : { durationMs: scenario.warmUpMs };
  const warm = (requests: number) =>
    applyLoad(bench, target, request, { kind: 'closed', connections: 16, requests, ...limit });
  const probe = await applyLoad(bench, target, request, { kind: 'closed', connections: 1, requests: 1 });
  if (probe.complete === 0) {
    bench.note(`${target.name} skipped: it does not respond to this request: ${probe.firstProblem}`);
    return false;
  }
  if (scenario.warmUpRequests > 0) await warm(scenario.warmUpRequests);
  return true;
}

async function startWarm(bench: Bench, scenario: Scenario, names: readonly string[]): Promise<Target[]> {
  const ready: Target[] = [];
  for (const name of names.filter((candidate) => scenario.targets.includes(candidate))) {
    const target = await tryStart(bench, name);
    if (target === undefined) continue;
    if (await warmUp(bench, target, scenario)) ready.push(target);
    else await target.process.stop();
  }
  return ready;
}

/** Stops the targets of a scenario; notes those that have ended by themselves. */
async function stopAll(bench: Bench, targets: readonly Target[]): Promise<void> {
  for (const { name, process } of targets) {
    if (process.ending === undefined) continue;
    bench.note(`${name} exited under load (${process.ending}); its last output: ${process.lastOutput()}`);
  }
  await Promise.all(targets.map((target) => target.process.stop()));
}

/** Measures targets that run side by side and take turns (A B C A B C …), so that a slow minute of the machine affects all of them. */
export async function measureAlternating(
  bench: Bench,
  scenario: Scenario,
  names: readonly string[],
): Promise<TargetRounds[]> {
  const targets = await startWarm(bench, scenario, names);
  const results = targets.map((target) => ({ target, rounds: [] as Round[] }));
  try {
    for (let round = 0; round < scenario.rounds; round += 1) {
      for (const result of results.filter(({ target }) => target.process.ending === undefined)) {
        result.rounds.push(await measureRound(bench, result.target, scenario));
      }
    }
  } finally {
    await stopAll(bench, targets);
  }
  return results.map(({ target, rounds }) => ({ target: target.name, rounds }));
}

/** Measures every target in a fresh process for every round: memory that an earlier round has freed would hide what this one needs. */
export async function measureFresh(
  bench: Bench,
  scenario: Scenario,
  names: readonly string[],
): Promise<TargetRounds[]> {
  const results = new Map<string, Round[]>();
  for (let round = 0; round < scenario.rounds; round += 1) {
    for (const name of names) {
      const [target] = await startWarm(bench, scenario, [name]);
      if (target === undefined) continue;
      try {
        results.set(name, [...(results.get(name) ?? []), await measureRound(bench, target, scenario)]);
      } finally {
        await stopAll(bench, [target]);
      }
    }
  }
  return [...results].map(([target, rounds]) => ({ target, rounds }));
}

const settleMs = 2000;

export async function measureMemory(
  bench: Bench,
  scenario: Scenario,
  names: readonly string[],
  counts: readonly [number, number],
): Promise<MemoryPair[]> {
  const pairs: MemoryPair[] = [];
  for (const name of names) {
    const [target] = await startWarm(bench, scenario, [name]);
    if (target === undefined) continue;
    const rssAfter = async (requests: number) => {
      const load = await applyLoad(bench, target, scenario.request, { kind: 'closed', connections: 64, requests });
      if (load.lost > 0) bench.note(`${name}: ${load.lost} requests failed; the first: ${load.firstProblem}`);
      await Bun.sleep(settleMs);
      return { bytes: readFamilyUsage(target.process.pid).rssBytes, lost: load.lost };
    };
    try {
      const first = await rssAfter(counts[0]);
      const second = await rssAfter(counts[1] - counts[0]);
      pairs.push({ target: name, firstBytes: first.bytes, secondBytes: second.bytes, lost: first.lost + second.lost });
    } finally {
      await stopAll(bench, [target]);
    }
  }
  return pairs;
}
