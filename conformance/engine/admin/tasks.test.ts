import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TASK_STAGES, type Task, type TaskStage } from '../../../src/domain/tasks/task.ts';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { failTask, retryPoll } from '../../../src/engine/admin/tasks/change-tasks.ts';
import { listTasks, shownTaskView, showTask, taskSummaryView } from '../../../src/engine/admin/tasks/read-tasks.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleHold, sampleTask } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const DAY_MS = 86_400_000;
const REASON = 'The provider has lost the video. Nothing was charged.';

const TARGET = {
  ...{ channelId: 'kling', provider: 'kling', upstreamModel: 'kling-v2', wire: 'kling-videos', isPrivate: false },
  asked: { count: 1, seconds: 5, resolution: '1080p', traits: ['audio'] },
};
const ENDINGS = {
  made: {
    kind: 'made',
    result: {
      items: [
        {
          source: { kind: 'url', url: 'https://u:p@cdn.example/a/clip.mp4?Signature=geheim#x' },
          ...{ mediaType: 'video/mp4', durationSeconds: 5, lyrics: 'the words of the song', title: 'a title' },
        },
        { source: { kind: 'base64', base64: 'AAAA' }, mediaType: 'video/mp4' },
        { source: { kind: 'channel', url: '/files/7?key=geheim' }, mediaType: 'video/mp4' },
        { source: null, mediaType: null },
      ],
      resolution: '1080p',
    },
    billable: { quantities: [{ unit: 'clip', amount: 1 }], source: 'reported' },
  },
  failed: { kind: 'failed', code: 'upstream_error', failureKind: 'job_failed', message: 'It did not work.' },
} as const;

const FIELDS: Readonly<Record<TaskStage, Partial<Task>>> = {
  created: {},
  submitting: { target: TARGET },
  submitted: { target: TARGET, ticket: { id: 'job-1' }, submittedAtMs: 1_790_000_001_000 },
  closing: { target: TARGET, ticket: { id: 'job-1' }, ending: ENDINGS.made },
  completed: { target: TARGET, ending: ENDINGS.made, endedAtMs: 1, expiresAtMs: 9e12 },
  failed: { target: TARGET, ending: ENDINGS.failed, endedAtMs: 1, expiresAtMs: 9e12 },
};

let store: TestStore;
let clock: FakeClock;

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
});
afterEach(closeTestStores);

const idOf = (number: number) => `task_${String(number).padStart(32, '0')}`;
const make = async (number: number, stage: TaskStage, fields: Partial<Task> = {}) => {
  const id = idOf(number);
  const task = sampleTask({ id, requestId: `req-${number}`, stage, ...FIELDS[stage], ...fields });
  await store.tasks.create(task);
  return task;
};
const errors: string[] = [];
const logger = { debug() {}, info() {}, warn() {}, error: (_: unknown, text: string) => void errors.push(text) };
const fail = (id: string, reason = REASON) =>
  failTask(store, { clock, logger, settings: { keepMs: DAY_MS } }, id, reason);

describe('a list', () => {
  test('has the tasks that match all conditions, newest first', async () => {
    for (const [index, stage] of TASK_STAGES.entries()) await make(index, stage, { createdAtMs: 1_000 + index });
    await make(10, 'submitted', { accountId: 'other', kind: '3d', createdAtMs: 5_000 });
    const stages = async (wanted: Parameters<typeof listTasks>[1]) =>
      (await listTasks(store, wanted)).items.map(({ stage }) => stage);
    expect(await stages({})).toEqual(['submitted', ...TASK_STAGES.toReversed()]);
    expect(await stages({ isOpen: true })).toEqual(['submitted', 'closing', 'submitted', 'submitting', 'created']);
    expect(await stages({ stage: 'failed' })).toEqual(['failed']);
    expect(await stages({ account: 'acme', channel: 'kling', stage: 'submitted' })).toEqual(['submitted']);
    expect(await stages({ kind: '3d', isOpen: true })).toEqual(['submitted']);
    expect(await stages({ kind: 'music' })).toEqual([]);
    expect(await stages({ limit: 2 })).toEqual(['submitted', 'failed']);
  });

  test('names the invalid input when refused', async () => {
    const fieldOf = async (wanted: Parameters<typeof listTasks>[1]) =>
      (await failureOf(listTasks(store, wanted))).field;
    expect(await fieldOf({ kind: 'videos' })).toBe('kind');
    expect(await fieldOf({ stage: 'open' })).toBe('stage');
    expect(await fieldOf({ stage: 'failed', isOpen: true })).toBe('stage');
    for (const limit of [0, 1_001, 1.5]) expect(await fieldOf({ limit })).toBe('limit');
  });
});

describe('one task', () => {
  test("is shown with its hold, without secrets, addresses and the client's content", async () => {
    await createAccount(store, clock, { id: 'acme' });
    const ticket = {
      ...{ id: 'job-1', path: '/v1/videos/text2video', token: 'sk-0123456789abcdef0123' },
      ...{ url: 'https://q.example/jobs/7?sig=geheim', prompt: 'a fox in the snow', body: '{"a":1}', empty: '' },
    };
    const fields = { ticket, ending: ENDINGS.made, lastPollError: 'It is down.', pollErrors: 3 };
    const { id, requestId } = await make(1, 'closing', {
      ...fields,
      kept: { '0/source': { id: 'media-1', mediaType: 'video/mp4', expiresAtMs: 1_790_000_000_000 } },
    });
    const unlimited = { keyId: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null };
    const hold = sampleHold({ holdId: requestId, accountId: 'acme', fromBalanceNanoUsd: 5_000_000n, ...unlimited });
    await store.ledger.append({
      ...{ idempotencyKey: 'a', accountId: 'acme', keyId: null, kind: 'grant', amountNanoUsd: 10_000_000n },
      ...{ requestId: null, atMs: 1, note: null },
    });
    expect(await store.holds.hold(hold)).toBe('held');
    const view = shownTaskView(await showTask(store, id, null));
    expect(view).toMatchObject({
      ...{
        id,
        account: 'acme',
        stage: 'closing',
        status: 'processing',
        poll_errors: 3,
        last_poll_error: 'It is down.',
      },
      target: {
        channel: 'kling',
        provider: 'kling',
        upstream_model: 'kling-v2',
        asked: { seconds: 5, traits: ['audio'] },
      },
      ticket: {
        ...{ id: 'job-1', path: '/v1/videos/text2video', token: '[redacted]', url: 'https://q.example/jobs/7?…' },
        ...{ prompt: '(17 characters)', body: '(7 characters)', empty: '' },
      },
      ending: {
        kind: 'made',
        items: [
          { source: 'https://cdn.example/a/clip.mp4?…', content_type: 'video/mp4', duration: 5 },
          { source: 'in the answer' },
          { source: 'a path of the channel: /files/7?…' },
          { source: null },
        ],
        quantities: [{ unit: 'clip', amount: 1 }],
      },
      kept_files: [{ place: '0/source', id: 'media-1', content_type: 'video/mp4', expires_at: '2026-09-21T14:13:20Z' }],
      hold: { state: 'open', of_balance_usd: '0.005', of_limit_usd: null, charged_usd: '0' },
      cost_usd: null,
    });
    expect(JSON.stringify(view)).not.toMatch(/geheim|words of the song|a title|u:p@|fox|AAAA/);
  });

  test('has a description in every stage', async () => {
    for (const [index, stage] of TASK_STAGES.entries()) {
      const { id } = await make(index, stage);
      const shown = await showTask(store, id, null);
      expect(shownTaskView(shown)).toMatchObject({ ...taskSummaryView(shown.task), stage, hold: null });
    }
  });

  test('is not found, by any verb, if it does not exist', async () => {
    for (const id of ['task_x', '', 'a\0b', "' OR 1=1"]) {
      for (const asked of [showTask(store, id, null), retryPoll(store, id), fail(id)]) {
        const { code, field } = await failureOf(asked);
        expect([code, field]).toEqual(['not_found', 'task']);
      }
    }
  });
});

describe('retry-poll', () => {
  test.each(['submitted', 'closing'] as const)('passes a %s task to the next process that claims', async (stage) => {
    const nowMs = clock.nowMs();
    await store.tasks.alive('node-a', nowMs + 60_000);
    const { id } = await make(1, stage);
    expect(await store.tasks.claim('node-b', nowMs, 10)).toEqual([]);
    expect(await retryPoll(store, id)).toMatchObject({ id, stage });
    expect(await store.tasks.claim('node-b', nowMs, 10)).toMatchObject([{ id, stage, owner: 'node-b', claim: 3 }]);
    expect(await store.tasks.change(id, 1, { progress: 50 })).toBe(false);
  });

  test.each([
    ['created', /is created: the provider has not accepted the job yet/],
    ['submitting', /is submitting: the provider has not accepted the job yet/],
    ['completed', /is completed, which is final/],
    ['failed', /is failed, which is final/],
  ] as const)('refuses a %s task and leaves it unchanged', async (stage, sentence) => {
    const task = await make(1, stage);
    const error = await failureOf(retryPoll(store, task.id));
    expect([error.code, error.message]).toEqual(['conflict', expect.stringMatching(sentence)]);
    expect(await store.tasks.find(task.id)).toEqual(task);
  });
});

describe('fail', () => {
  test.each(['created', 'submitting', 'submitted'] as const)(
    'ends a %s task with the reason, and its owner loses the claim',
    async (stage) => {
      await store.tasks.alive('node-a', clock.nowMs() + 60_000);
      const { id } = await make(1, stage);
      const failed = await fail(id, `  ${REASON} `);
      expect(failed).toMatchObject({
        ...{ stage: 'failed', costNanoUsd: 0n, endedAtMs: clock.nowMs(), expiresAtMs: clock.nowMs() + DAY_MS },
        ending: { kind: 'failed', failureKind: 'ended_by_operator', message: REASON },
      });
      expect(await store.tasks.find(id)).toEqual(failed);
      expect(await store.tasks.change(id, 1, { stage: 'closing', ending: ENDINGS.made })).toBe(false);
      expect(await store.tasks.claim('node-b', clock.nowMs() + DAY_MS, 10)).toEqual([]);
      await store.requestLog.flush();
      expect(await store.requestLog.recent(5)).toMatchObject([
        { requestId: 'req-1', status: 499, failureKind: 'ended_by_operator', costNanoUsd: 0n, format: 'video-task' },
      ]);
      expect(errors).toEqual([]);
    },
  );

  test('releases the reservation once', async () => {
    await createAccount(store, clock, { id: 'acme' });
    const { id, requestId } = await make(1, 'submitted');
    const none = { keyId: null, fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null };
    await store.holds.hold(sampleHold({ holdId: requestId, accountId: 'acme', ...none }));
    await fail(id);
    expect(await store.holds.find(requestId)).toMatchObject({ state: 'released', chargedNanoUsd: 0n });
    expect((await failureOf(fail(id))).message).toContain('is failed, which is final');
  });

  test('refuses a finished task, or one whose end is decided, and says which', async () => {
    const cases = [
      ['completed', {}, 'is completed, which is final'],
      ['failed', {}, 'is failed, which is final'],
      ['closing', {}, 'is already decided: the provider has completed it'],
      ['closing', { ending: ENDINGS.failed }, 'is already decided: it has failed'],
    ] as const;
    for (const [index, [stage, fields, sentence]] of cases.entries()) {
      const task = await make(index, stage, fields);
      const error = await failureOf(fail(task.id));
      expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining(sentence)]);
      expect(await store.tasks.find(task.id)).toEqual(task);
    }
  });

  test.each(['', '   ', 'two\nlines', 'a\u0007bell', 'x'.repeat(501)])('refuses the reason %j', async (reason) => {
    const task = await make(1, 'submitted');
    expect(await failureOf(fail(task.id, reason))).toMatchObject({ code: 'invalid_value', field: 'reason' });
    expect(await store.tasks.find(task.id)).toEqual(task);
  });

  test('wins against gateways that claim the task at once', async () => {
    const { id } = await make(1, 'submitted');
    let claims = 0;
    const contested = {
      ...{ holds: store.holds, requestLog: store.requestLog, trail: store.trail },
      tasks: {
        ...boundTasks(),
        takeBack: async (taken: string) => {
          const isTaken = await store.tasks.takeBack(taken);
          if (claims++ < 3) await store.tasks.claim('node-b', clock.nowMs(), 10);
          return isTaken;
        },
      },
    };
    const failed = await failTask(contested, { clock, logger, settings: { keepMs: 1 } }, id, REASON);
    expect([failed.stage, claims]).toEqual(['failed', 4]);
  });

  test('is completed by a gateway that claims the task in the middle', async () => {
    const { id } = await make(1, 'submitted');
    const tasks = boundTasks();
    const contested = {
      ...{ holds: store.holds, requestLog: store.requestLog, trail: store.trail },
      tasks: {
        ...tasks,
        change: async (...[of, claim, changes]: Parameters<typeof tasks.change>) => {
          const isChanged = await tasks.change(of, claim, changes);
          if (changes.stage !== 'closing') return isChanged;
          const [taken] = await tasks.claim('node-b', clock.nowMs(), 10);
          const end = { stage: 'failed', costNanoUsd: 0n, endedAtMs: 5, expiresAtMs: 9e12 } as const;
          // The ending is written but not carried out yet.
          setTimeout(() => void tasks.change(of, taken?.claim ?? 0, end), 10);
          return isChanged;
        },
      },
    };
    const failed = await failTask(contested, { clock, logger, settings: { keepMs: 1 } }, id, REASON);
    expect(failed).toMatchObject({ stage: 'failed', endedAtMs: 5, ending: { message: REASON } });
  });

  test('reports a store that cannot be written', async () => {
    const { id } = await make(1, 'submitted');
    const broken = {
      ...{ tasks: store.tasks, requestLog: store.requestLog, trail: store.trail },
      holds: { find: () => Promise.reject(new Error('disk')), release: () => Promise.reject(new Error('disk')) },
    };
    const failing = failTask(broken, { clock, logger, settings: { keepMs: 1 } }, id, REASON);
    await expect(failing).rejects.toThrow('was not fully stored');
    expect(errors).toHaveLength(1);
    errors.length = 0;
    expect(await store.tasks.find(id)).toMatchObject({ stage: 'closing', ending: { message: REASON } });
  });

  function boundTasks() {
    const { tasks } = store;
    return {
      create: tasks.create.bind(tasks),
      find: tasks.find.bind(tasks),
      change: tasks.change.bind(tasks),
      changeAll: tasks.changeAll.bind(tasks),
      alive: tasks.alive.bind(tasks),
      claim: tasks.claim.bind(tasks),
      takeBack: tasks.takeBack.bind(tasks),
      giveBack: tasks.giveBack.bind(tasks),
      claimsOf: tasks.claimsOf.bind(tasks),
      countOpen: tasks.countOpen.bind(tasks),
      list: tasks.list.bind(tasks),
      figures: tasks.figures.bind(tasks),
      removeExpired: tasks.removeExpired.bind(tasks),
    };
  }
});
