import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { CacheStoreStatistics } from '../../ports/cache-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChannelFigures, KeyFigures } from '../../ports/health-store.ts';
import type { MediaFigures } from '../../ports/media-store.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';
import { type ConfigurationFigures, type DiskFigures, levelOf, problemsIn, type StatusFigures } from './problems.ts';
import { mergedFigures, type ProcessFigures } from './process-figures.ts';
import type { StoreFigureReader, StoreFigures } from './store-figures.ts';

/** The facts that do not change while the process runs. */
export interface StatusIdentity {
  readonly version: string;
  readonly runtime: string;
  readonly nodeId: string;
  readonly hostName: string;
  readonly startedAtMs: number;
}

export interface StatusPorts {
  readonly identity: StatusIdentity;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Resolves to the figures of all processes of the gateway that answer; never empty. */
  readonly processes: () => Promise<readonly [ProcessFigures, ...ProcessFigures[]]>;
  readonly store: Pick<StoreFigureReader, 'read'>;
  readonly cache: () => CacheStoreStatistics['beyond'];
  readonly media: () => MediaFigures;
  readonly disks: () => Promise<readonly DiskFigures[]>;
  readonly configuration: () => ConfigurationFigures;
}

/** A status is made at most once in this time, no matter how many read it. */
const FRESH_MS = 1_000;
/** The bounds of the lists. The counts beside them cover everything. */
const MOST_NODES = 100;
const MOST_CHANNELS = 100;
const MOST_MODELS = 50;
const MOST_AFFECTED = 5;
const MOST_TEXT = 300;

/** The state of the gateway for operators, as one JSON document. */
export class GatewayStatus {
  private made: { readonly atMs: number; readonly text: Promise<string> } | null = null;

  constructor(private readonly ports: StatusPorts) {}

  /** Resolves to the document of now, or of the last second. */
  read(): Promise<string> {
    const nowMs = this.ports.clock.monotonicMs();
    if (this.made !== null && nowMs - this.made.atMs < FRESH_MS) return this.made.text;
    const text = this.make().then((view) => `${JSON.stringify(view)}\n`);
    const made = { atMs: nowMs, text };
    this.made = made;
    text.catch(() => {
      if (this.made === made) this.made = null;
    });
    return text;
  }

  private async make() {
    const { identity, clock, configuration } = this.ports;
    const [processes, store, disks] = await Promise.all([
      this.ports.processes(),
      this.ports.store.read(),
      this.ports.disks(),
    ]);
    const nowMs = clock.nowMs();
    const figures = { processes: mergedFigures(processes), store, disks, configuration: configuration() };
    const problems = problemsIn(figures, nowMs);
    return {
      object: 'status' as const,
      status: levelOf(problems),
      problems: problems.map((problem) => ({ ...problem, message: short(problem.message) })),
      at: isoTime(nowMs),
      version: identity.version,
      runtime: identity.runtime,
      node: identity.nodeId,
      host: identity.hostName,
      started_at: isoTime(identity.startedAtMs),
      uptime_seconds: Math.max(0, Math.round((nowMs - identity.startedAtMs) / 1_000)),
      workers: processes.length,
      ...figuresView(figures, nowMs),
      cache: {
        memory: figures.processes.cache,
        beyond: this.ports.cache(),
      },
      media_store: mediaView(this.ports.media()),
    };
  }
}

function figuresView({ processes, store, disks, configuration }: StatusFigures, nowMs: number) {
  const { notReady, inFlight, finished, failed, queues, redis } = processes;
  return {
    ready: notReady === null,
    not_ready_reason: notReady,
    memory_bytes: processes.memoryBytes,
    requests: {
      in_flight: inFlight,
      last_minute: { finished, failed, failure_rate: finished === 0 ? 0 : rounded(failed / finished, 4) },
    },
    database: databaseView(store, processes),
    redis,
    queues: {
      charges: { waiting: queues.charges.waiting, late_ms: Math.round(queues.charges.lateMs) },
      request_log: { waiting: queues.requestLog.waiting, dropped: queues.requestLog.dropped },
    },
    nodes: nodesView(store),
    channels: channelsView(processes),
    models: modelsView(processes),
    tasks: tasksView(store, nowMs),
    alerts: alertsView(store),
    ledger: { last_verification: verificationView(store) },
    disks: disks.map(({ name, freeBytes }) => ({ name, free_bytes: freeBytes })),
    configuration: configurationView(configuration),
  };
}

function databaseView(store: StoreFigures | null, { databaseLatencyMs, databaseProblem }: ProcessFigures) {
  const database = store?.database;
  return {
    reachable: store !== null && databaseProblem === null,
    problem: databaseProblem,
    latency_ms: databaseLatencyMs === null ? null : rounded(databaseLatencyMs, 1),
    kind: database?.kind ?? null,
    version: database?.version ?? null,
    bytes: database?.bytes ?? null,
    schema: database?.migrations.at(-1) ?? null,
  };
}

function nodesView(store: StoreFigures | null) {
  const nodes = store?.nodes ?? [];
  return {
    count: nodes.length,
    list: nodes.slice(0, MOST_NODES).map((node) => ({
      ...{ id: node.id, host: node.hostName, process: node.processId, version: node.version },
      started_at: isoTime(node.startedAtMs),
      last_seen_at: isoTime(node.lastSeenAtMs),
      is_current: node.isCurrent,
    })),
  };
}

const SEVERITY = { blocked: 0, resting: 1, probing: 2, ready: 3 } as const;

/** Lists the channels in the worst state first, then those with most attempts in flight. */
function channelsView({ channels, privateInFlight }: ProcessFigures) {
  const count = (state: ChannelFigures['state']) => channels.filter((channel) => channel.state === state).length;
  const order = (one: ChannelFigures, other: ChannelFigures) =>
    SEVERITY[one.state] - SEVERITY[other.state] || other.inFlight - one.inFlight || other.requests - one.requests;
  return {
    in_use: channels.length,
    by_state: {
      ready: count('ready'),
      probing: count('probing'),
      resting: count('resting'),
      blocked: count('blocked'),
    },
    private_in_flight: privateInFlight,
    list: channels.toSorted(order).slice(0, MOST_CHANNELS).map(channelView),
  };
}

function channelView(channel: ChannelFigures) {
  const { channelId, state, affectedModels, reason, inFlight, requests, failures, firstByteMs, keys } = channel;
  return {
    channel: channelId,
    state,
    affected_models: affectedModels.slice(0, MOST_AFFECTED),
    reason: reason === null ? null : short(reason),
    in_flight: inFlight,
    ...{ requests, failures },
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    ...(keys !== undefined && { keys: keys.map(keyView) }),
  };
}

function keyView({
  name,
  state,
  reason,
  inFlight,
  requests,
  failures,
  spentNanoUsd,
  capNanoUsd,
  resetsAtMs,
}: KeyFigures) {
  return {
    ...{ name, state, reason: reason === null ? null : short(reason), in_flight: inFlight, requests, failures },
    spent_usd: formatNanoUsd(BigInt(spentNanoUsd)),
    cap_usd: capNanoUsd === null ? null : formatNanoUsd(BigInt(capNanoUsd)),
    resets_at: resetsAtMs === null ? null : isoTime(resetsAtMs),
  };
}

function modelsView({ models, closedModels }: ProcessFigures) {
  return { count: models, unavailable: { count: closedModels.length, list: closedModels.slice(0, MOST_MODELS) } };
}

function tasksView(store: StoreFigures | null, nowMs: number) {
  if (store === null) return null;
  const { open, oldestAtMs } = store.tasks;
  return { open, oldest_seconds: oldestAtMs === null ? null : Math.max(0, Math.round((nowMs - oldestAtMs) / 1_000)) };
}

function alertsView(store: StoreFigures | null) {
  if (store === null) return null;
  const { active, own } = store.alerts;
  return {
    active,
    list: own.map(({ ruleId, name, subject, sinceMs }) => ({
      rule: ruleId,
      name: short(name),
      subject: short(subject),
      since: isoTime(sinceMs),
    })),
  };
}

function verificationView(store: StoreFigures | null) {
  const ledger = store?.ledger ?? null;
  return ledger === null ? null : { at: isoTime(ledger.atMs), ok: ledger.problems === 0, problems: ledger.problems };
}

function configurationView({ path, loadedAtMs, rejected }: ConfigurationFigures) {
  return {
    file: path,
    loaded_at: isoTime(loadedAtMs),
    rejected_at: timeOrNull(rejected?.atMs ?? null),
    problem: rejected === null ? null : short(rejected.problem),
  };
}

function mediaView({ bytes, files, refused }: MediaFigures) {
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0);
  return { bytes, files, refused: total };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function short(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}
