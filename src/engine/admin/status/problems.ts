import type { ChannelFigures, KeyFigures } from '../../ports/health-store.ts';
import type { ProcessFigures } from './process-figures.ts';
import type { StoreFigures } from './store-figures.ts';

export const STATUS_LEVELS = ['ok', 'degraded', 'down'] as const;
export type StatusLevel = (typeof STATUS_LEVELS)[number];

export const PROBLEM_CODES = [
  'not_ready',
  'no_usable_channel',
  'database_unavailable',
  'redis_unavailable',
  'charges_late',
  'request_log_late',
  'channel_blocked',
  'channel_resting',
  'key_blocked',
  'key_capped',
  'model_unavailable',
  'requests_failing',
  'node_silent',
  'tasks_late',
  'ledger_mismatch',
  'disk_low',
  'configuration_rejected',
] as const;

/** Something that an operator should look at. */
export interface Problem {
  readonly code: (typeof PROBLEM_CODES)[number];
  /** `down` if the gateway cannot serve requests because of it. */
  readonly level: Exclude<StatusLevel, 'ok'>;
  /** The id of the channel, model or node concerned; `null` if it concerns none. */
  readonly subject: string | null;
  readonly message: string;
}

/** The free space of a folder on a disk. */
export interface DiskFigures {
  /** `data` or `media`. */
  readonly name: string;
  readonly freeBytes: number;
  /** Why this is too little, or `null`. */
  readonly problem: string | null;
}

/** The configuration file and its latest reload. */
export interface ConfigurationFigures {
  /** `null` if the gateway runs without a file. */
  readonly path: string | null;
  /** When the configuration in effect was read. */
  readonly loadedAtMs: number;
  /** The latest attempt to reload it, if it was rejected after that. */
  readonly rejected: { readonly atMs: number; readonly problem: string } | null;
}

export interface StatusFigures {
  readonly processes: ProcessFigures;
  /** `null` if the database did not answer in time. */
  readonly store: StoreFigures | null;
  readonly disks: readonly DiskFigures[];
  readonly configuration: ConfigurationFigures;
}

/** The most problems of one kind that are listed. */
const MOST_OF_A_KIND = 20;
const LATE_CHARGES_MS = 1_000;
const MANY_LINES = 10_000;
/** Fewer requests in a minute say nothing. */
const LEAST_REQUESTS = 20;
const HIGH_FAILURE_RATE = 0.1;
/** Nodes send a heartbeat every three seconds. */
const SILENT_MS = 15_000;
const LATE_CLOSING_MS = 300_000;

/** Returns what is wrong, the worst first; at most 20 problems of each kind. */
export function problemsIn(figures: StatusFigures, nowMs: number): readonly Problem[] {
  const all = [
    ...ofReadiness(figures),
    ...ofRedis(figures.processes),
    ...ofQueues(figures.processes),
    ...ofChannels(figures.processes),
    ...ofRequests(figures.processes),
    ...ofStore(figures.store, nowMs),
    ...ofDisks(figures.disks),
    ...ofConfiguration(figures.configuration),
  ];
  const isDown = ({ level }: Problem) => level === 'down';
  return [...all.filter(isDown), ...all.filter((problem) => !isDown(problem))];
}

/** Returns the level that follows from the problems. */
export function levelOf(problems: readonly Problem[]): StatusLevel {
  if (problems.some(({ level }) => level === 'down')) return 'down';
  return problems.length > 0 ? 'degraded' : 'ok';
}

function problem(code: Problem['code'], message: string, subject: string | null = null): Problem {
  return { code, level: 'degraded', subject, message };
}

function* ofReadiness({ processes, store }: StatusFigures): Iterable<Problem> {
  const { notReady, databaseProblem } = processes;
  if (notReady !== null) {
    yield { ...problem('not_ready', `The gateway takes no new requests: ${notReady}.`), level: 'down' };
  }
  if (databaseProblem !== null) yield problem('database_unavailable', `Nothing can be stored: ${databaseProblem}.`);
  else if (store === null) yield problem('database_unavailable', 'The database did not answer within a second.');
}

function* ofRedis({ redis }: ProcessFigures): Iterable<Problem> {
  if (redis === 'away') {
    yield problem('redis_unavailable', 'Redis does not answer. Limits and the cache are not shared meanwhile.');
  }
}

function* ofQueues({ queues: { charges, requestLog } }: ProcessFigures): Iterable<Problem> {
  if (charges.lateMs >= LATE_CHARGES_MS) {
    const late = Math.round(charges.lateMs / 1_000);
    yield problem('charges_late', `${charges.waiting} charges are not durable; the oldest has waited for ${late} s.`);
  }
  if (requestLog.waiting >= MANY_LINES) {
    yield problem('request_log_late', `${requestLog.waiting} lines of the request log are not written yet.`);
  }
}

function* ofChannels({ channels, models, closedModels }: ProcessFigures): Iterable<Problem> {
  if (models > 0 && closedModels.length >= models) {
    const message = 'No model can be served: no shared channel can be asked for any of them.';
    yield { ...problem('no_usable_channel', message), level: 'down' };
  }
  const inState = (state: ChannelFigures['state']) => channels.filter((channel) => channel.state === state);
  for (const { channelId, reason } of inState('blocked').slice(0, MOST_OF_A_KIND)) {
    const why = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
    const message = `The channel ${channelId} is blocked${why}. Renew its key, or run "switchyard channels enable ${channelId}".`;
    yield problem('channel_blocked', message, channelId);
  }
  for (const { channelId, reason, affectedModels } of inState('resting').slice(0, MOST_OF_A_KIND)) {
    const why = reason === null ? '' : ` after ${reason}`;
    const message = `The channel ${channelId} is in cooldown${why} for ${affectedModels.length} of its models.`;
    yield problem('channel_resting', message, channelId);
  }
  yield* ofKeys(channels);
  for (const id of closedModels.slice(0, MOST_OF_A_KIND)) {
    yield problem('model_unavailable', `No shared channel can be asked for the model ${id}.`, id);
  }
}

/** Names keys that are blocked or past their caps while others of their channel may still answer. */
function* ofKeys(channels: readonly ChannelFigures[]): Iterable<Problem> {
  const keys = channels.flatMap(({ channelId, keys = [] }) => keys.map((key) => ({ ...key, channelId })));
  const inState = (state: KeyFigures['state']) => keys.filter((key) => key.state === state).slice(0, MOST_OF_A_KIND);
  for (const { channelId, name, reason } of inState('blocked')) {
    const why = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
    yield problem('key_blocked', `The key ${name} of the channel ${channelId} is blocked${why}. Renew it.`, channelId);
  }
  for (const { channelId, name, resetsAtMs } of inState('capped')) {
    const until = resetsAtMs === null ? '' : ` until ${new Date(resetsAtMs).toISOString()}`;
    yield problem(
      'key_capped',
      `The key ${name} of the channel ${channelId} has reached its spend cap${until}.`,
      channelId,
    );
  }
}

function* ofRequests({ finished, failed }: ProcessFigures): Iterable<Problem> {
  if (finished < LEAST_REQUESTS || failed / finished < HIGH_FAILURE_RATE) return;
  const message = `${failed} of ${finished} requests of the last minute failed through no fault of the client.`;
  yield problem('requests_failing', message);
}

function* ofStore(store: StoreFigures | null, nowMs: number): Iterable<Problem> {
  if (store === null) return;
  const { nodes, tasks, ledger } = store;
  const silent = nodes.filter(({ lastSeenAtMs }) => nowMs - lastSeenAtMs >= SILENT_MS);
  for (const { id, hostName } of silent.slice(0, MOST_OF_A_KIND)) {
    yield problem('node_silent', `The node ${id} on ${hostName} has sent no heartbeat for 15 s.`, id);
  }
  if (tasks.oldestClosingAtMs !== null && nowMs - tasks.oldestClosingAtMs >= LATE_CLOSING_MS) {
    yield problem('tasks_late', 'Finished tasks have not been settled for five minutes.');
  }
  if (ledger !== null && ledger.problems > 0) {
    const message = `The latest verification of the ledger found ${ledger.problems} mismatches. Run "switchyard ledger verify".`;
    yield problem('ledger_mismatch', message);
  }
}

function* ofDisks(disks: readonly DiskFigures[]): Iterable<Problem> {
  for (const { name, problem: message } of disks) {
    if (message !== null) yield problem('disk_low', `The disk of the ${name} folder: ${message}.`, name);
  }
}

function* ofConfiguration({ rejected }: ConfigurationFigures): Iterable<Problem> {
  if (rejected === null) return;
  const message = `The configuration file was not applied at the latest reload: ${rejected.problem}`;
  yield problem('configuration_rejected', message);
}
