import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import type { Task } from '../../domain/tasks/task.ts';
import type { Store } from '../../engine/ports/store.ts';
import { sampleHold, sampleTask } from '../../engine/ports/testing/samples.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await run('accounts', 'create', 'acme', '--balance-usd', '1');
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

async function inStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await fixture.openStore((await readFile(fixture.path('data/master-secret'), 'utf8')).trim());
  return use(store).finally(() => store.close());
}

const ID = sampleTask().id;
const TARGET = {
  ...{ channelId: 'kling', provider: 'kling', upstreamModel: 'kling-v2', wire: 'kling-videos', isPrivate: false },
  asked: { count: 1, seconds: 5, resolution: null },
};

async function submitted(fields: Partial<Task> = {}): Promise<void> {
  const createdAtMs = fixture.clock.nowMs() - 600_000;
  const task = sampleTask({ stage: 'submitted', target: TARGET, ticket: { id: 'job-1' }, createdAtMs, ...fields });
  await inStore(async ({ tasks, holds }) => {
    await tasks.create(task);
    const none = { keyId: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null };
    await holds.hold(sampleHold({ holdId: task.requestId, ...none, fromBalanceNanoUsd: 500_000_000n }));
  });
}

const freeBalance = async () => JSON.parse(await run('accounts', 'balance', 'acme', '--json')).free_usd;

describe('a list', () => {
  test('reports that there is nothing', async () => {
    expect(await run('tasks', 'list')).toBe('No tasks found.\n');
    expect(await run('tasks', 'list', '--json')).toBe('[]\n');
  });

  test('shows the age and progress of each task', async () => {
    await submitted({ progress: 40, isProcessing: true, pollErrors: 2 });
    const [headings, row] = (await run('tasks', 'list', '--open')).split('\n').map((line) => line.split(/ {2,}/));
    expect(headings).toEqual([
      ...['TASK', 'AGE', 'ACCOUNT', 'MODEL', 'KIND', 'STAGE', 'STATUS', 'PROGRESS', 'CHANNEL', 'POLL ERRORS'],
    ]);
    const facts = ['10 min', 'acme', 'veo-3', 'video', 'submitted', 'processing', '40 %', 'kling', '2'];
    expect(row).toEqual([ID, ...facts]);
    const json = JSON.parse(await run('tasks', 'list', '--account', 'acme', '--kind', 'video', '--json'));
    expect(json).toMatchObject([{ id: ID, status: 'processing', progress: 40, channel: 'kling', poll_errors: 2 }]);
    for (const other of [
      ['--account', 'b'],
      ['--kind', 'music'],
      ['--stage', 'failed'],
      ['--channel', 'x'],
    ])
      expect(await run('tasks', 'list', ...other)).toBe('No tasks found.\n');
  });

  test.each([
    [['--kind', 'videos'], /--kind.*Allowed choices are video, music, 3d, image/],
    [['--stage', 'open'], /--stage.*Allowed choices are created/],
    [['--stage', 'failed', '--open'], /cannot be used with/],
    [['--limit', 'all'], /whole number/],
  ])('rejects %p', async (args, said) => {
    const { exitCode, stderr } = await fixture.run(['tasks', 'list', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(said)]);
  });

  test('has a limit', async () => {
    const { exitCode, stderr } = await fixture.run(['tasks', 'list', '--limit', '1001']);
    expect([exitCode, stderr]).toEqual([1, 'switchyard: limit: must be a whole number from 1 to 1000\n']);
  });
});

describe('one task', () => {
  test('is shown in lines, and as JSON', async () => {
    await submitted({ lastPollError: 'It is\u001b[2J down.' });
    const shown = await run('tasks', 'show', ID);
    for (const line of [/^id +task_0123/m, /^ {2}upstream model +kling-v2$/m, /^ticket$/m, /^ {2}id +job-1$/m])
      expect(shown).toMatch(line);
    expect(shown).toMatch(/^last poll error +It is�\[2J down\.$/m);
    expect(shown).toMatch(/^hold\n {2}state +open\n {2}of balance usd +0\.5$/m);
    expect(shown).not.toMatch(/null|undefined|\[object/);
    expect(JSON.parse(await run('tasks', 'show', ID, '--json'))).toMatchObject({
      ...{ id: ID, ticket: { id: 'job-1' }, hold: { of_balance_usd: '0.5' }, ending: null },
    });
  });

  test('is reported as missing if it does not exist', async () => {
    for (const args of [['show'], ['retry-poll'], ['fail', '--reason', 'Gone.']]) {
      const { exitCode, stderr } = await fixture.run(['tasks', ...args, 'task_x']);
      expect([exitCode, stderr]).toEqual([1, 'switchyard: task: there is no task "task_x"\n']);
    }
  });
});

test('retry-poll takes the task from its owner', async () => {
  await submitted();
  expect(await run('tasks', 'retry-poll', ID)).toMatch(/^task_\w+: its job is polled once a gateway/);
  expect(await inStore(({ tasks }) => tasks.find(ID))).toMatchObject({ owner: null, claim: 2 });
});

describe('fail', () => {
  const fail = (...more: string[]) => fixture.run(['tasks', 'fail', ID, '--reason', 'It is lost.', ...more]);

  test('requires a reason', async () => {
    const { exitCode, stderr } = await fixture.run(['tasks', 'fail', ID]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--reason')]);
  });

  test('ends the task, releases the reservation, and is refused the second time', async () => {
    await submitted();
    expect(await freeBalance()).toBe('0.5');
    expect(await fail()).toEqual({
      exitCode: 0,
      stdout: `failed ${ID} of acme; nothing is charged\n`,
      stderr: 'notice: the job may continue at the provider, which may bill it\n',
    });
    expect(await freeBalance()).toBe('1');
    expect(JSON.parse(await run('tasks', 'show', ID, '--json'))).toMatchObject({
      ...{ stage: 'failed', status: 'failed', cost_usd: '0', hold: { state: 'released', charged_usd: '0' } },
      ending: { kind: 'failed', failure_kind: 'ended_by_operator', message: 'It is lost.' },
    });
    const { exitCode, stderr } = await fail();
    expect([exitCode, stderr]).toEqual([1, `switchyard: task: "${ID}" is failed, which is final\n`]);
    expect(await run('ledger', 'verify')).toContain('ledger verified');
    const line = await inStore(({ requestLog }) => requestLog.recent(1));
    expect(line).toMatchObject([{ requestId: 'req-1', failureKind: 'ended_by_operator' }]);
  });

  test('keeps the task for the configured time, or the default if that is invalid', async () => {
    const keptDays = async () => {
      const task = await inStore(({ tasks }) => tasks.find(ID));
      return ((task?.expiresAtMs ?? 0) - fixture.clock.nowMs()) / 86_400_000;
    };
    const file = fixture.path('switchyard.yaml');
    await submitted();
    await writeFile(file, 'retention: {tasks_days: 3}\n');
    expect(await fail('--config', file)).toMatchObject({ exitCode: 0 });
    expect(await keptDays()).toBe(3);
    await inStore(({ tasks }) => tasks.removeExpired(Number.MAX_SAFE_INTEGER, 10));
    await submitted({ requestId: 'req-2', ticket: null });
    await writeFile(file, 'retention: {tasks_days: never}\n');
    const { exitCode, stderr } = await fail('--config', file);
    expect([exitCode, stderr]).toEqual([
      0,
      'notice: the configuration cannot be read here, so the task is kept for 7 days\n',
    ]);
    expect(await keptDays()).toBe(7);
  });
});
