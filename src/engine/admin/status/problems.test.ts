import { expect, test } from 'bun:test';
import type { ChannelFigures } from '../../ports/health-store.ts';
import { levelOf, problemsIn, type StatusFigures } from './problems.ts';
import { mergedFigures, type ProcessFigures } from './process-figures.ts';
import type { StoreFigures } from './store-figures.ts';

const NOW_MS = 1_000_000;

const CHANNEL: ChannelFigures = {
  ...{ channelId: 'openai', state: 'ready', affectedModels: [], reason: null },
  ...{ inFlight: 1, requests: 10, failures: 1, firstByteMs: 100 },
};

const PROCESS: ProcessFigures = {
  ...{ notReady: null, inFlight: 1, finished: 100, failed: 1, databaseProblem: null, databaseLatencyMs: 2 },
  queues: { charges: { waiting: 0, lateMs: 0 }, requestLog: { waiting: 0, dropped: 0 } },
  ...{ redis: 'reachable', memoryBytes: 100, channels: [CHANNEL], privateInFlight: null },
  ...{ models: 2, closedModels: [], cache: { entries: 1, bytes: 10 } },
};

const STORE: StoreFigures = {
  database: { kind: 'sqlite', version: '3', bytes: 1, migrations: ['0001'], nowMs: null },
  ...{ nodes: [], tasks: { open: 0, oldestAtMs: null, oldestClosingAtMs: null }, ledger: null },
  alerts: { active: 0, own: [] },
};

const FIGURES: StatusFigures = {
  ...{ processes: PROCESS, store: STORE, disks: [{ name: 'data', freeBytes: 1e12, problem: null }] },
  configuration: { path: null, loadedAtMs: 0, rejected: null },
};

function found(changed: Partial<StatusFigures>): readonly string[] {
  return problemsIn({ ...FIGURES, ...changed }, NOW_MS).map(({ code, level }) => `${level} ${code}`);
}

const inProcess = (changed: Partial<ProcessFigures>) => found({ processes: { ...PROCESS, ...changed } });
const inStore = (changed: Partial<StoreFigures>) => found({ store: { ...STORE, ...changed } });

test('a gateway without problems is ok', () => {
  expect(found({})).toEqual([]);
  expect(levelOf([])).toBe('ok');
});

test('each problem is named, and the worst come first', () => {
  expect(inProcess({ notReady: 'shutting down' })).toEqual(['down not_ready']);
  expect(inProcess({ databaseProblem: 'the disk is full' })).toEqual(['degraded database_unavailable']);
  expect(found({ store: null })).toEqual(['degraded database_unavailable']);
  expect(inProcess({ redis: 'away' })).toEqual(['degraded redis_unavailable']);
  expect(inProcess({ queues: { ...PROCESS.queues, charges: { waiting: 1, lateMs: 1_000 } } })).toEqual([
    'degraded charges_late',
  ]);
  expect(inProcess({ queues: { ...PROCESS.queues, requestLog: { waiting: 10_000, dropped: 0 } } })).toEqual([
    'degraded request_log_late',
  ]);
  expect(inProcess({ channels: [{ ...CHANNEL, state: 'blocked' }], closedModels: ['a', 'b'] })).toEqual([
    'down no_usable_channel',
    'degraded channel_blocked',
    'degraded model_unavailable',
    'degraded model_unavailable',
  ]);
  expect(inProcess({ channels: [{ ...CHANNEL, state: 'resting' }] })).toEqual(['degraded channel_resting']);
  expect(inProcess({ finished: 20, failed: 2 })).toEqual(['degraded requests_failing']);
  expect(inProcess({ finished: 19, failed: 19 })).toEqual([]);
  expect(inStore({ ledger: { atMs: 1, problems: 2 } })).toEqual(['degraded ledger_mismatch']);
  expect(inStore({ tasks: { open: 1, oldestAtMs: 0, oldestClosingAtMs: 0 } })).toEqual(['degraded tasks_late']);
  expect(found({ disks: [{ name: 'data', freeBytes: 1, problem: 'nearly full' }] })).toEqual(['degraded disk_low']);
  const rejected = { atMs: 1, problem: 'channels[0].provider: must be known' };
  expect(found({ configuration: { path: 'a.yaml', loadedAtMs: 0, rejected } })).toEqual([
    'degraded configuration_rejected',
  ]);
});

test('a node without a heartbeat is named', () => {
  const node = { id: 'node_1', hostName: 'a', processId: 1, version: '1', startedAtMs: 0, mediaPlace: null };
  const seen = (lastSeenAtMs: number) => ({
    ...node,
    accessVersion: 1,
    servingVersion: 1,
    isCurrent: true,
    lastSeenAtMs,
  });
  expect(inStore({ nodes: [seen(NOW_MS - 14_999)] })).toEqual([]);
  expect(inStore({ nodes: [seen(NOW_MS - 15_000)] })).toEqual(['degraded node_silent']);
});

test('at most 20 problems of a kind are listed', () => {
  const channels = Array.from({ length: 50 }, (_, index) => ({
    ...CHANNEL,
    channelId: `c${index}`,
    state: 'blocked' as const,
  }));
  const closedModels = Array.from({ length: 50 }, (_, index) => `m${index}`);
  expect(inProcess({ channels, closedModels, models: 60 })).toHaveLength(40);
});

test('the figures of several processes are summed, and the worse state counts', () => {
  const other: ProcessFigures = {
    ...{ ...PROCESS, notReady: 'shutting down', redis: 'away', closedModels: ['a'] },
    channels: [{ ...CHANNEL, state: 'resting', affectedModels: ['gpt'], reason: 'http_503' }],
  };
  expect(mergedFigures([PROCESS, other])).toMatchObject({
    ...{ notReady: null, inFlight: 2, finished: 200, failed: 2, redis: 'away', memoryBytes: 200, closedModels: ['a'] },
    channels: [
      { state: 'resting', affectedModels: ['gpt'], reason: 'http_503', inFlight: 2, requests: 20, failures: 2 },
    ],
  });
  expect(mergedFigures([other, other]).notReady).toBe('shutting down');
});
