import { expect, test } from 'bun:test';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import {
  isFinal,
  predecessorsOf,
  TASK_STAGES,
  type Task,
  type TaskEnding,
  type TaskStage,
  type TaskTarget,
} from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../../engine/ports/task-store.ts';
import { sampleTask } from '../../../engine/ports/testing/samples.ts';

const NOW = 1_790_000_000_000;
const LATER = NOW + 30_000;

const TARGET: TaskTarget = {
  channelId: 'veo-main',
  provider: 'gemini',
  upstreamModel: 'veo-3.0-generate',
  wire: 'gemini-videos',
  isPrivate: true,
  asked: { count: 2, seconds: 8, resolution: '1080p', traits: ['audio'], outputTokens: null },
};

const MADE: TaskEnding = {
  kind: 'made',
  result: {
    items: [
      {
        source: { kind: 'url', url: 'https://example.com/ünï.mp4?a=b' },
        mediaType: 'video/mp4',
        durationSeconds: 8.5,
        cover: { kind: 'base64', base64: 'AAAA' },
        lyrics: "line\n'; -- \0 \ud800",
        revisedPrompt: '🚦',
      },
      { source: null, mediaType: null, title: null },
    ],
    resolution: '1080p',
    tokens: { input: 1, output: 2 },
  },
  billable: sampleBillable({ output: 9 }),
};

const FAILED = {
  kind: 'failed',
  code: 'upstream_error',
  failureKind: 'http_500',
  message: 'It failed.',
} as const satisfies TaskEnding;

/** A task with every field set. */
const FULL = sampleTask({
  id: 'full',
  clientIds: {
    clientRequestId: 'order%_7',
    clientTrace: {
      ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' },
      ...{ flags: 1, state: 'vendor="x"' },
    },
  },
  stage: 'completed',
  isProcessing: true,
  progress: 100,
  target: TARGET,
  ticket: { operation: 'operations/1', region: 'eu' },
  submittedAtMs: NOW + 1,
  pollErrors: 3,
  lastPollError: 'The upstream does not answer.',
  ending: MADE,
  kept: { '0/source': { id: 'media-1', expiresAtMs: NOW + 9, mediaType: 'video/mp4' } },
  // Not representable as a double.
  costNanoUsd: 9_007_199_254_740_993n,
  endedAtMs: NOW + 5,
  expiresAtMs: NOW + 10,
  request: { prompt: 'ünï \ud83e\udd8a', seconds: '8', size: '1280x720', remixedFrom: 'task_other' },
  cancelAskedAtMs: NOW + 4,
  deletedAtMs: NOW + 6,
  claim: 7,
});

/** The transitions that lead from the initial stage to each stage. */
const WAYS: Readonly<Record<TaskStage, readonly TaskStage[]>> = {
  created: [],
  submitting: ['submitting'],
  submitted: ['submitting', 'submitted'],
  closing: ['submitting', 'submitted', 'closing'],
  completed: ['closing', 'completed'],
  failed: ['closing', 'failed'],
};

/** Tests for every `TaskStore`. */
export function taskTests(store: () => TaskStore): void {
  const make = async (...tasks: Partial<Task>[]) => {
    for (const fields of tasks) await store().create(sampleTask(fields));
  };
  const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

  test('a task is returned as created, with all members and with none', async () => {
    await make(FULL, {});
    expect(await store().find('full')).toEqual(FULL);
    expect(await store().find(sampleTask().id)).toEqual(sampleTask());
    expect(await store().find('unknown')).toBeNull();
    expect(await store().find('a\0b')).toBeNull();
  });

  test('an existing id is refused, and its task does not change', async () => {
    await make({});
    await expect(store().create(sampleTask({ modelId: 'other' }))).rejects.toThrow();
    expect((await store().find(sampleTask().id))?.modelId).toBe('veo-3');
  });

  changeTests(store);
  ownerTests(store);
  claimsOfTests(store);

  test('tasks are listed by account, kind, stage and channel, the newest first', async () => {
    await make(
      { id: 'a', createdAtMs: 3, kind: 'music', stage: 'closing' },
      { id: 'b', createdAtMs: 1, stage: 'submitted', target: TARGET },
      { id: 'c', createdAtMs: 2, stage: 'completed', accountId: 'other' },
      { id: 'd', createdAtMs: 3, stage: 'failed' },
    );
    const list = async (query: Parameters<TaskStore['list']>[0], limit = 10) =>
      ids(await store().list(query, limit)).join('');
    expect(await list({})).toBe('dacb');
    expect(await list({}, 2)).toBe('da');
    expect(await list({}, 0)).toBe('');
    expect(await list({}, -1)).toBe('');
    expect(await list({ accountId: 'acme' })).toBe('dab');
    expect(await list({ accountId: 'nobody' })).toBe('');
    expect(await list({ kind: 'music' })).toBe('a');
    expect(await list({ channelId: 'veo-main' })).toBe('b');
    expect(await list({ stages: ['completed', 'failed'] })).toBe('dc');
    expect(await list({ stages: ['submitted', 'closing'] })).toBe('ab');
    expect(await list({ stages: ['failed', 'submitted'] })).toBe('db');
    expect(await list({ stages: [] })).toBe('');
    expect(await list({ accountId: 'acme', kind: 'video', stages: ['submitted'], channelId: 'veo-main' })).toBe('b');
    expect(await list({ accountId: 'other', kind: 'video', stages: ['submitted'], channelId: 'veo-main' })).toBe('');
  });

  test('tasks are listed by status, key, model and time, from a place on and in both orders', async () => {
    await make(
      { id: 'a', createdAtMs: 10 },
      { id: 'b', createdAtMs: 20, stage: 'submitted', keyId: 'other', modelId: 'sora-2' },
      { id: 'c', createdAtMs: 20, stage: 'submitted', isProcessing: true, modelId: 'sora-2' },
      { id: 'd', createdAtMs: 30, stage: 'closing' },
      { id: 'e', createdAtMs: 40, stage: 'completed', expiresAtMs: 100 },
      { id: 'f', createdAtMs: 50, stage: 'failed', keyId: null, expiresAtMs: 200 },
      { id: 'g', createdAtMs: 60, stage: 'failed', deletedAtMs: 70 },
      { id: 'h', createdAtMs: 60, accountId: 'other' },
    );
    const list = async (query: Parameters<TaskStore['list']>[0], limit = 10) =>
      ids(await store().list({ accountId: 'acme', ...query }, limit)).join('');
    expect(await list({})).toBe('fedcba');
    expect(await list({ isAscending: true })).toBe('abcdef');
    expect(await list({ status: 'pending' })).toBe('ba');
    expect(await list({ status: 'processing' })).toBe('dc');
    expect(await list({ status: 'completed' })).toBe('e');
    expect(await list({ status: 'failed' })).toBe('f');
    expect(await list({ keyId: 'other' })).toBe('b');
    expect(await list({ modelId: 'sora-2', status: 'processing' })).toBe('c');
    expect(await list({ createdFromMs: 20, createdBeforeMs: 40 })).toBe('dcb');
    expect(await list({ readableAtMs: 99 })).toBe('fedcba');
    expect(await list({ readableAtMs: 100 })).toBe('fdcba');
    const place = (id: string, createdAtMs: number) => ({ after: { id, createdAtMs } });
    expect(await list(place('c', 20))).toBe('ba');
    expect(await list({ isAscending: true, ...place('b', 20) }, 2)).toBe('cd');
    expect(await list({ isAscending: true, ...place('zz', 20) })).toBe('def');
  });

  test('a cancellation is recorded for a submitted task only, and not twice within the time', async () => {
    await make(
      { id: 'a', stage: 'submitted' },
      { id: 'b' },
      { id: 'c', stage: 'closing' },
      { id: 'd', stage: 'failed' },
    );
    for (const id of ['b', 'c', 'd', 'unknown', 'a\0b']) expect(await store().askToCancel(id, 1_000, 100)).toBe(false);
    expect(await store().askToCancel('a', 1_000, 100)).toBe(true);
    expect(await store().askToCancel('a', 1_099, 100)).toBe(false);
    expect(await store().askToCancel('a', 1_100, 100)).toBe(true);
    await store().cancelRefused('a', 1_000);
    expect(await store().find('a')).toMatchObject({ cancelAskedAtMs: 1_100, claim: 1 });
    await store().cancelRefused('a', 1_100);
    expect(await store().find('a')).toMatchObject({ cancelAskedAtMs: null });
  });

  test('a deleted task has no content, is not listed, and is removed earlier', async () => {
    const content = { ticket: { id: '1' }, ending: MADE, kept: FULL.kept, request: FULL.request };
    await make(
      { id: 'a', stage: 'completed', ...content, expiresAtMs: 500 },
      { id: 'b', stage: 'failed', expiresAtMs: 50 },
      { id: 'c', stage: 'closing' },
    );
    expect(await store().deleteFinal('c', 10, 100)).toBe(false);
    expect(await store().deleteFinal('unknown', 10, 100)).toBe(false);
    expect([await store().deleteFinal('a', 10, 100), await store().deleteFinal('b', 10, 100)]).toEqual([true, true]);
    expect(await store().deleteFinal('a', 11, 200)).toBe(false);
    const without = { ticket: null, ending: null, kept: {}, request: null, deletedAtMs: 10 };
    expect(await store().find('a')).toMatchObject({ ...without, expiresAtMs: 100, costNanoUsd: null });
    expect(await store().find('b')).toMatchObject({ expiresAtMs: 50 });
    expect(ids(await store().list({}, 10))).toEqual(['c']);
    expect(await store().removeExpired(100, 10)).toBe(2);
  });

  test('open tasks are counted for an account, and for all by kind, provider and stage', async () => {
    await make(
      { id: 'a', createdAtMs: 5, stage: 'submitted', target: TARGET },
      { id: 'b', createdAtMs: 4, stage: 'submitted', target: TARGET, accountId: 'other' },
      { id: 'c', createdAtMs: 3 },
      { id: 'd', createdAtMs: 2, stage: 'failed' },
      { id: 'e', createdAtMs: 1, stage: 'closing', kind: '3d' },
    );
    expect([await store().countOpen('acme'), await store().countOpen('other')]).toEqual([3, 1]);
    expect(await store().countOpen('nobody')).toBe(0);
    const figures = (await store().figures()).toSorted((a, b) => a.oldestAtMs - b.oldestAtMs);
    expect(figures).toEqual([
      { kind: '3d', provider: null, stage: 'closing', count: 1, oldestAtMs: 1 },
      { kind: 'video', provider: null, stage: 'created', count: 1, oldestAtMs: 3 },
      { kind: 'video', provider: 'gemini', stage: 'submitted', count: 2, oldestAtMs: 4 },
    ]);
  });

  test('only expired tasks are removed, up to the limit', async () => {
    await make(
      { id: 'a', stage: 'completed', expiresAtMs: 10 },
      { id: 'b', stage: 'failed', expiresAtMs: 9 },
      { id: 'c', stage: 'failed', expiresAtMs: 11 },
      { id: 'd', stage: 'failed' },
      { id: 'e' },
    );
    expect(await store().removeExpired(8, 10)).toBe(0);
    expect(await store().removeExpired(10, 0)).toBe(0);
    expect(await store().removeExpired(10, 1)).toBe(1);
    expect(await store().find('b')).toBeNull();
    expect(await store().removeExpired(10, 10)).toBe(1);
    expect(await store().removeExpired(10, 10)).toBe(0);
    expect(ids(await store().list({}, 10)).join('')).toBe('edc');
  });
}

function changeTests(store: () => TaskStore): void {
  const id = sampleTask().id;
  const task = () => store().find(id);

  test('only the members of a change are changed, also to null', async () => {
    await store().create(
      sampleTask({ lastPollError: 'x', progress: 5, submittedAtMs: 3, costNanoUsd: 2n, kept: FULL.kept }),
    );
    const changes = { stage: 'submitting', target: TARGET, progress: null, lastPollError: null, kept: {} } as const;
    expect(await store().change(id, 1, changes)).toBe(true);
    expect(await task()).toEqual(sampleTask({ ...changes, submittedAtMs: 3, costNanoUsd: 2n }));
    const { isProcessing, ticket, pollErrors, submittedAtMs } = FULL;
    const more = { stage: 'submitted', isProcessing, ticket, pollErrors, submittedAtMs, target: null } as const;
    expect(await store().change(id, 1, more)).toBe(true);
    expect(await task()).toEqual(sampleTask({ ...changes, ...more, costNanoUsd: 2n }));
    expect(await store().change(id, 1, { stage: 'closing', ending: MADE })).toBe(true);
    const { kept, costNanoUsd, endedAtMs, expiresAtMs } = FULL;
    expect(await store().change(id, 1, { stage: 'completed', kept, costNanoUsd, endedAtMs, expiresAtMs })).toBe(true);
    const last = { stage: 'completed', ending: MADE, kept, costNanoUsd, endedAtMs, expiresAtMs } as const;
    expect(await task()).toEqual(sampleTask({ ...changes, ...more, ...last }));
  });

  test('an empty change succeeds if a change would be possible', async () => {
    await store().create(sampleTask());
    expect(await store().change(id, 1, {})).toBe(true);
    expect(await store().change(id, 2, {})).toBe(false);
    expect(await task()).toEqual(sampleTask());
  });

  test('characters that a database cannot store do not prevent a change', async () => {
    await store().create(sampleTask());
    expect(await store().change(id, 1, { lastPollError: 'a\0b\ud800' })).toBe(true);
    expect((await task())?.lastPollError).toStartWith('a');
    expect(await store().change('a\0b', 1, {})).toBe(false);
    expect(await store().takeBack('a\0b')).toBe(false);
  });

  test('a change under another claim, or of an unknown task, changes nothing', async () => {
    await store().create(sampleTask({ claim: 5 }));
    for (const claim of [4, 6, 0, -1]) expect(await store().change(id, claim, { progress: 9 })).toBe(false);
    expect(await store().change('unknown', 5, { progress: 9 })).toBe(false);
    expect(await task()).toEqual(sampleTask({ claim: 5 }));
  });

  for (const from of TASK_STAGES) {
    test(`from ${from} a task can reach the allowed stages only`, async () => {
      for (const to of [...TASK_STAGES, undefined]) {
        const own = `${from}-${to}`;
        await store().create(sampleTask({ id: own }));
        for (const stage of WAYS[from]) expect(await store().change(own, 1, { stage })).toBe(true);
        const isLegal = to === undefined ? !isFinal(from) : predecessorsOf(to).includes(from);
        const stage = to === undefined ? {} : { stage: to };
        expect(await store().change(own, 1, { ...stage, progress: 50 })).toBe(isLegal);
        const now = await store().find(own);
        expect([now?.stage, now?.progress]).toEqual(isLegal ? [to ?? from, 50] : [from, null]);
      }
    });
  }

  test('a written end is final', async () => {
    await store().create(sampleTask());
    expect(await store().change(id, 1, { stage: 'closing', ending: FAILED })).toBe(true);
    for (const ending of [MADE, FAILED, null]) {
      expect(await store().change(id, 1, { stage: 'closing', ending, progress: 7 })).toBe(false);
      expect(await store().change(id, 1, { ending })).toBe(false);
      expect(await store().change(id, 1, { stage: 'completed', ending })).toBe(false);
    }
    expect(await task()).toEqual(sampleTask({ stage: 'closing', ending: FAILED }));
  });

  test('changes in one batch are applied or refused individually, in order', async () => {
    for (const one of ['a', 'b', 'c']) await store().create(sampleTask({ id: one }));
    const changed = await store().changeAll([
      { id: 'a', claim: 1, changes: { progress: 1 } },
      { id: 'b', claim: 2, changes: { progress: 2 } },
      { id: 'unknown', claim: 1, changes: { progress: 3 } },
      { id: 'a', claim: 1, changes: { stage: 'closing', ending: FAILED } },
      { id: 'c', claim: 1, changes: { stage: 'completed' } },
      { id: 'a', claim: 1, changes: { ending: MADE } },
      { id: 'a', claim: 1, changes: { stage: 'failed', expiresAtMs: 4 } },
      { id: 'a', claim: 1, changes: { progress: 4 } },
      { id: 'c', claim: 1, changes: { stage: 'submitting', lastPollError: 'x' } },
    ]);
    expect(changed).toEqual([true, false, false, true, false, false, true, false, true]);
    const a = sampleTask({ id: 'a', stage: 'failed', ending: FAILED, progress: 1, expiresAtMs: 4 });
    expect(await store().find('a')).toEqual(a);
    expect(await store().find('b')).toEqual(sampleTask({ id: 'b' }));
    expect(await store().find('c')).toEqual(sampleTask({ id: 'c', stage: 'submitting', lastPollError: 'x' }));
    expect(await store().changeAll([])).toEqual([]);
  });

  test('1,000 concurrent changes are all written', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `many-${index}`);
    await Promise.all(many.map((one) => store().create(sampleTask({ id: one }))));
    const changed = await store().changeAll(
      many.map((one, index) => ({ id: one, claim: 1, changes: { progress: index % 100 } })),
    );
    expect(changed.every((isChanged) => isChanged)).toBe(true);
    expect((await store().find('many-777'))?.progress).toBe(77);
  });

  test('one of several concurrent ends of a task succeeds', async () => {
    await store().create(sampleTask());
    const endings = Array.from({ length: 8 }, (_, index): TaskEnding => ({ ...FAILED, message: `${index}` }));
    const done = await Promise.all(endings.map((ending) => store().change(id, 1, { stage: 'closing', ending })));
    expect(done.filter((isDone) => isDone)).toHaveLength(1);
    expect((await task())?.ending).toEqual(endings[done.indexOf(true)] ?? null);
  });
}

function claimsOfTests(store: () => TaskStore): void {
  test('a process can read its own tasks and their claims', async () => {
    const claims = async (owner: string) => [...(await store().claimsOf(owner))].sort(([a], [b]) => (a < b ? -1 : 1));
    await store().create(sampleTask({ id: 'a', owner: 'one' }));
    await store().create(sampleTask({ id: 'b', owner: 'one', stage: 'closing', claim: 7 }));
    await store().create(sampleTask({ id: 'c', owner: 'one', stage: 'failed' }));
    await store().create(sampleTask({ id: 'd', owner: null }));
    await store().create(sampleTask({ id: 'e', owner: 'two', stage: 'submitted' }));
    expect([await claims('one'), await claims('two'), await claims('three')]).toEqual([
      [
        ['a', 1],
        ['b', 7],
      ],
      [['e', 1]],
      [],
    ]);
    await store().alive('two', NOW + 1);
    await store().takeBack('a');
    expect(await claims('one')).toEqual([['b', 7]]);
    await store().claim('two', NOW, 10);
    expect([await claims('one'), await claims('two')]).toEqual([
      [],
      [
        ['a', 3],
        ['b', 8],
        ['d', 2],
        ['e', 1],
      ],
    ]);
  });
}

function ownerTests(store: () => TaskStore): void {
  const claimed = async (owner: string, nowMs = NOW, limit = 100) =>
    (await store().claim(owner, nowMs, limit)).map(({ id, claim }) => `${id}${claim}`).join(' ');

  test('tasks without a living owner are claimed, oldest first, up to the limit', async () => {
    await store().alive('node-a', LATER);
    await store().alive('node-late', NOW);
    await store().create(sampleTask({ id: 'a', createdAtMs: 5, owner: null }));
    await store().create(sampleTask({ id: 'b', createdAtMs: 4, owner: 'node-unknown', claim: 3 }));
    await store().create(sampleTask({ id: 'c', createdAtMs: 3, owner: 'node-late' }));
    await store().create(sampleTask({ id: 'd', createdAtMs: 2, owner: 'node-a' }));
    await store().create(sampleTask({ id: 'e', createdAtMs: 1, owner: null, stage: 'failed' }));
    await store().alive('node-b', LATER);
    expect(await claimed('node-b', NOW, 0)).toBe('');
    expect(await claimed('node-b', NOW, 2)).toBe('c2 b4');
    expect(await claimed('node-b')).toBe('a2');
    expect(await claimed('node-b')).toBe('');
    expect(await store().find('b')).toEqual(sampleTask({ id: 'b', createdAtMs: 4, owner: 'node-b', claim: 4 }));
  });

  test('a claimed task is returned completely, and only its new owner can change it', async () => {
    const { ticket, lastPollError, submittedAtMs } = FULL;
    const fields = { stage: 'submitted', target: TARGET, ticket, lastPollError, submittedAtMs } as const;
    await store().create(sampleTask(fields));
    await store().alive('node-b', LATER);
    const [task] = await store().claim('node-b', NOW, 1);
    expect(task).toEqual(sampleTask({ ...fields, owner: 'node-b', claim: 2 }));
    const { id } = sampleTask();
    expect(await store().change(id, 1, { progress: 1 })).toBe(false);
    expect(await store().change(id, 2, { progress: 2 })).toBe(true);
  });

  test('a process with timely heartbeats keeps its tasks, one without loses them', async () => {
    await store().alive('node-a', NOW + 10);
    await store().create(sampleTask({ id: 'a' }));
    await store().alive('node-b', LATER);
    expect(await claimed('node-b', NOW + 9)).toBe('');
    await store().alive('node-a', NOW + 20);
    expect(await claimed('node-b', NOW + 19)).toBe('');
    expect(await claimed('node-b', NOW + 20)).toBe('a2');
    await store().alive('node-a', LATER);
    expect(await claimed('node-a', NOW + 20)).toBe('');
  });

  test('a withdrawn task goes to the next process that claims, a finished one does not', async () => {
    await store().alive('node-a', LATER);
    await store().create(sampleTask({ id: 'a' }));
    await store().create(sampleTask({ id: 'b', stage: 'completed' }));
    expect([await store().takeBack('a'), await store().takeBack('b'), await store().takeBack('c')]).toEqual([
      ...[true, false, false],
    ]);
    expect(await store().find('b')).toEqual(sampleTask({ id: 'b', stage: 'completed' }));
    expect(await store().change('a', 1, { progress: 1 })).toBe(false);
    expect(await claimed('node-b')).toBe('a3');
  });

  test('a process that stops releases only its open tasks', async () => {
    await store().alive('node-a', LATER);
    await store().alive('node-b', LATER);
    await store().create(sampleTask({ id: 'a' }));
    await store().create(sampleTask({ id: 'b', owner: 'node-b' }));
    await store().create(sampleTask({ id: 'c', stage: 'failed' }));
    await store().giveBack('node-a');
    expect(await store().find('c')).toEqual(sampleTask({ id: 'c', stage: 'failed' }));
    expect(await store().change('a', 1, { progress: 1 })).toBe(false);
    await store().alive('node-c', LATER);
    expect(await claimed('node-c')).toBe('a3');
    // It no longer counts as alive, although its time is not over.
    await store().create(sampleTask({ id: 'd' }));
    expect(await claimed('node-c')).toBe('d2');
  });

  test('each task goes to one of several processes that claim concurrently', async () => {
    const names = ['n0', 'n1', 'n2', 'n3', 'n4'];
    for (const name of names) await store().alive(name, LATER);
    const all = Array.from({ length: 60 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    await Promise.all(all.map((id) => store().create(sampleTask({ id, owner: null }))));
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store().claim(names[index % 5] ?? '', NOW, 7)),
    );
    const rest = await store().claim('n0', NOW, 100);
    expect([...claims.flat(), ...rest].map(({ id }) => id).sort()).toEqual(all);
    for (const task of [...claims.flat(), ...rest]) expect(await store().find(task.id)).toEqual(task);
  });
}
