import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import type { Store } from '../../engine/ports/store.ts';
import { sampleHold } from '../../engine/ports/testing/samples.ts';
import { NO_USAGE } from '../../engine/ports/usage-store.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});

afterEach(() => fixture.remove());

const run = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await fixture.run(args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

const withStore = async <Result>(use: (store: Store) => Promise<Result>): Promise<Result> => {
  const secret = (await readFile(fixture.path('data/master-secret'), 'utf8')).trim();
  const store = await fixture.openStore(secret);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
};

const charge = (requestId: string, costNanoUsd: bigint, keyId: string | null = null) =>
  withStore((store) =>
    store.ledger.charge({
      requestId,
      accountId: 'acme',
      keyId,
      costNanoUsd,
      fromAccountLease: 0n,
      fromKeyLease: 0n,
      atMs: fixture.clock.nowMs(),
      usage: NO_USAGE,
    }),
  );

describe('a balance', () => {
  beforeEach(async () => {
    await run('accounts', 'create', 'acme');
  });

  test('is granted, adjusted and shown', async () => {
    expect(await run('accounts', 'grant', 'acme', '10', '--note', 'invoice 1')).toBe(
      'granted $10 to acme; its balance is $10\n',
    );
    expect(await run('accounts', 'adjust', 'acme', '-2.5', '--note', 'twice')).toBe(
      'adjusted acme by -$2.5; its balance is $7.5\n',
    );
    expect(await run('accounts', 'adjust', 'acme', '+0.000000001', '--note', 'dust')).toContain('$7.500000001');
    expect(await run('accounts', 'balance', 'acme')).toBe(
      'ACCOUNT  BILLING  BALANCE       HELD  FREE\nacme     prepaid  $7.500000001  $0    $7.500000001\n',
    );
    expect(JSON.parse(await run('accounts', 'balance', 'acme', '--json'))).toEqual({
      id: 'acme',
      billing: 'prepaid',
      balance_usd: '7.500000001',
      held_usd: '0',
      free_usd: '7.500000001',
    });
    expect(JSON.parse(await run('accounts', 'list', '--json'))).toMatchObject([{ balance_usd: '7.500000001' }]);
  });

  test('is granted once per idempotency key', async () => {
    const args = ['accounts', 'grant', 'acme', '10', '--idempotency-key', 'invoice-1'];
    await run(...args);
    expect(await run(...args)).toBe(
      'already done with this idempotency key; nothing changed, and its balance is $10\n',
    );
    expect(JSON.parse(await run(...args, '--json'))).toEqual({
      account: 'acme',
      kind: 'grant',
      amount_usd: '10',
      already_made: true,
      balance_usd: '10',
      held_usd: '0',
      free_usd: '10',
    });
    args[3] = '11';
    expect(await fixture.run(args)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'switchyard: idempotency_key: was used for another change; choose a new one\n',
    });
  });

  test.each([
    [['accounts', 'grant', 'acne', '1'], 'account: there is no account "acne" (did you mean "acme"?)'],
    [['accounts', 'grant', 'acme', 'ten'], 'usd: must be a decimal amount in USD such as "0.15"'],
    [['accounts', 'grant', 'acme', '-1'], 'usd: must be more than 0 (an adjustment can lower a balance)'],
    [['accounts', 'adjust', 'acme', '-1', '--note', 'n'], 'usd: would exceed the balance, which is 0 USD'],
    [['accounts', 'balance', 'acne'], 'account: there is no account "acne" (did you mean "acme"?)'],
    [['ledger', 'list', 'acne'], 'account: there is no account "acne" (did you mean "acme"?)'],
    [['keys', 'list', '--account', 'acne'], 'account: there is no account "acne" (did you mean "acme"?)'],
    [['keys', 'create', '--account', 'acne'], 'account: there is no account "acne" (did you mean "acme"?)'],
    [['keys', 'create', '--account', 'acme', '--expires', '2020-01-01'], 'expires_at: must be in the future'],
    [['accounts', 'create', 'b', '--max-concurrent', '0'], 'max_concurrent: must be a whole number from 1 to 1000000'],
    [['accounts', 'create', 'b', '--budget', '5/year'], 'budget.per: must be one of day, week, month'],
    [['accounts', 'create', 'b', '--balance-usd', '-1'], 'balance_usd: must be from 0 to 1000000000 USD'],
  ])('%p fails in one line', async (args, message) => {
    expect(await fixture.run(args)).toEqual({ exitCode: 1, stdout: '', stderr: `switchyard: ${message}\n` });
  });

  test.each([
    [['accounts', 'adjust', 'acme', '1'], "switchyard: required option '--note <text>' not specified\n"],
    [
      ['keys', 'create', '--budget', '5'],
      'switchyard: --budget: must be an amount in USD and a period, such as 50/month or 0.5/day\n',
    ],
    [
      ['keys', 'create', '--budget-time-zone', 'UTC'],
      'switchyard: --budget-time-zone: needs --budget as well, such as 50/month\n',
    ],
    [['ledger', 'list', 'acme', '--limit', '0'], 'switchyard: --limit: must be a whole number from 1 to 100000\n'],
    [
      ['keys', 'create', '--expires', 'soon'],
      "switchyard: option '--expires <when>' argument 'soon' is invalid. It must be a date or a time with its zone, such as " +
        '"2026-09-01" or "2026-09-01T12:00:00Z", or a duration such as 30d, 12h or 90m.\n',
    ],
  ])('%p is a usage error', async (args, stderr) => {
    expect(await fixture.run(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});

test('an account is created with a balance and its own limits', async () => {
  const limits = ['--requests-per-minute', '120', '--tokens-per-minute', '200000', '--max-concurrent', '20'];
  const budget = ['--budget', '50/week', '--budget-time-zone', 'Europe/Berlin'];
  const made = await run('accounts', 'create', 'acme', '--balance-usd', '20.50', ...limits, ...budget, '--json');
  expect(JSON.parse(made)).toMatchObject({
    balance_usd: '20.5',
    requests_per_minute: 120,
    tokens_per_minute: 200_000,
    max_concurrent: 20,
    budget: { usd: '50', per: 'week', time_zone: 'Europe/Berlin' },
  });
  const row = (await run('accounts', 'list')).split('\n')[1]?.split(/ {2,}/);
  expect(row?.slice(4, 10)).toEqual(['prepaid', '$20.5', '120', '200000', '20', '$50/week (Europe/Berlin)']);
});

test('creating an account without a balance explains how to grant one', async () => {
  expect(await run('accounts', 'create', 'acme')).toContain('"switchyard accounts grant acme AMOUNT"');
  expect(await run('accounts', 'create', 'rich', '--balance-usd', '1')).not.toContain('grant');
  expect(await run('accounts', 'create', 'free', '--billing', 'unlimited')).not.toContain('grant');
});

describe('keys', () => {
  beforeEach(async () => {
    await run('accounts', 'create', 'acme');
  });

  const listed = async () => JSON.parse(await run('keys', 'list', '--json'));

  test('expire, have their own rate limit, and show both', async () => {
    const args = ['keys', 'create', '--account', 'acme', '--requests-per-minute', '5', '--json', '--expires'];
    expect(JSON.parse(await run(...args, '2d'))).toMatchObject({
      expires_at: '2023-11-16T22:13:20Z',
      requests_per_minute: 5,
      state: 'active',
      secret: expect.stringMatching(/^sk-/),
    });
    expect(JSON.parse(await run(...args, '2024-01-01T00:00+01:00')).expires_at).toBe('2023-12-31T23:00:00Z');
    fixture.clock.advance(2 * 86_400_000);
    expect((await listed()).map(({ state }: { state: string }) => state).sort()).toEqual(['active', 'expired']);
  });

  test('show the spending of their limit, and their last use', async () => {
    await run('keys', 'create', '--account', 'acme', '--limit-usd', '5', '--json');
    const [{ id }] = await listed();
    await charge('request-1', 1_250_000_000n, id);
    await withStore((store) =>
      store.keyUse.write([{ accountId: 'acme', kind: 'inference', id: id, lastUsedAtMs: fixture.clock.nowMs() }]),
    );
    expect(await listed()).toMatchObject([
      { spent_usd: '1.25', limit_usd: '5', last_used_at: '2023-11-14T22:13:20Z', state: 'active' },
    ]);
    const row = (await run('keys', 'list')).split('\n')[1]?.split(/ {2,}/);
    expect([row?.[4], row?.[5], row?.[10]]).toEqual(['$1.25', '$5', '2023-11-14T22:13:20Z']);
  });
});

describe('a held charge', () => {
  const hold = (requestId: string, accountId = 'acme') =>
    withStore((store) =>
      store.heldCharges.hold({
        requestId,
        accountId,
        keyId: 'ci',
        modelId: 'm',
        channelId: 'c',
        amountNanoUsd: 3_000_000_000n,
        plausibleNanoUsd: 1_000_000n,
        promptTokens: 5,
        completionTokens: 1_000,
        atMs: fixture.clock.nowMs(),
      }),
    );
  const balance = async (id: string) => JSON.parse(await run('accounts', 'balance', id, '--json'));

  test('is listed, and settled within the balance, once', async () => {
    await run('accounts', 'create', 'acme', '--balance-usd', '2');
    expect(await run('ledger', 'held', 'list')).toBe('No held charges.\n');
    await hold('req_1');
    const [headings, row] = (await run('ledger', 'held', 'list')).split('\n').map((line) => line.split(/ {2,}/));
    expect(headings).toEqual([
      'REQUEST',
      'TIME',
      'ACCOUNT',
      'MODEL',
      'CHANNEL',
      'HELD',
      'PLAUSIBLE',
      'PROMPT',
      'ANSWER',
      'STATE',
    ]);
    expect(row?.toSpliced(1, 1)).toEqual(['req_1', 'acme', 'm', 'c', '$3', '$0.001', '5', '1000', 'open']);
    const refused = await fixture.run(['ledger', 'held', 'settle', 'req_1']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      'switchyard: usd: the account does not have 3 USD available\n',
    ]);
    expect(await balance('acme')).toMatchObject({ balance_usd: '2', held_usd: '0' });
    expect(await run('ledger', 'held', 'settle', 'req_1', '--usd', '1.5')).toBe('charged $1.5 to acme\n');
    expect(await balance('acme')).toMatchObject({ balance_usd: '0.5', held_usd: '0' });
    const again = await fixture.run(['ledger', 'held', 'settle', 'req_1', '--usd', '0.1']);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      'switchyard: request: the held charge of "req_1" is already decided\n',
    ]);
    expect(await run('ledger', 'held', 'list')).toBe('No held charges.\n');
    expect(JSON.parse(await run('ledger', 'held', 'list', '--all', '--json'))).toMatchObject([
      { request_id: 'req_1', held_usd: '3', plausible_usd: '0.001', state: 'settled' },
    ]);
    expect(await run('ledger', 'verify')).toContain('ledger verified');
  });

  test('is settled below zero for an unlimited account', async () => {
    await run('accounts', 'create', 'big', '--billing', 'unlimited');
    await hold('req_2', 'big');
    expect(await run('ledger', 'held', 'settle', 'req_2')).toBe('charged $3 to big\n');
    expect(await balance('big')).toMatchObject({ balance_usd: '-3' });
    expect(await run('ledger', 'verify')).toContain('ledger verified');
  });

  test('is dismissed', async () => {
    await run('accounts', 'create', 'acme', '--balance-usd', '2');
    await hold('req_3');
    expect(await run('ledger', 'held', 'dismiss', 'req_3')).toBe('dismissed $3 of acme\n');
    expect(await balance('acme')).toMatchObject({ balance_usd: '2' });
    const missing = await fixture.run(['ledger', 'held', 'dismiss', 'req_9']);
    expect(missing.stderr).toBe('switchyard: request: there is no held charge for a request "req_9"\n');
  });
});

describe('a durable reservation', () => {
  const hold = (holdId: string, expiresAtMs: number) =>
    withStore((store) => store.holds.hold(sampleHold({ holdId, keyId: null, ...WITHOUT_LIMIT, expiresAtMs })));
  const WITHOUT_LIMIT = { fromLimitNanoUsd: null, keyLimitNanoUsd: null, fromBalanceNanoUsd: 500_000_000n };

  test('is listed, also with the overdue only, and released once', async () => {
    await run('accounts', 'create', 'acme', '--balance-usd', '1');
    expect(await run('ledger', 'reservations', 'list')).toBe('No reservations.\n');
    const nowMs = fixture.clock.nowMs();
    await hold('req_late', nowMs - 1);
    await hold('req_video', nowMs + 60_000);
    const [headings, first] = (await run('ledger', 'reservations', 'list'))
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(headings).toEqual(['REQUEST', 'TIME', 'EXPIRES', 'ACCOUNT', 'KEY', 'RESERVED', 'CHARGED', 'STATE']);
    expect(first?.[0]).toBe('req_late');
    expect(JSON.parse(await run('ledger', 'reservations', 'list', '--overdue', '--json'))).toMatchObject([
      { request_id: 'req_late', account: 'acme', of_balance_usd: '0.5', of_limit_usd: null, state: 'open' },
    ]);
    expect(await run('ledger', 'reservations', 'release', 'req_late')).toBe('released $0.5 of acme\n');
    expect(JSON.parse(await run('accounts', 'balance', 'acme', '--json'))).toMatchObject({ held_usd: '0.5' });
    expect(await run('ledger', 'reservations', 'list', '--overdue')).toBe('No reservations.\n');
    expect(JSON.parse(await run('ledger', 'reservations', 'list', '--all', '--json'))).toHaveLength(2);
    const missing = await fixture.run(['ledger', 'reservations', 'release', 'req_9']);
    expect(missing.stderr).toBe('switchyard: request: there is no reservation for a request "req_9"\n');
    await withStore((store) => store.holds.settle('req_video', 5n, nowMs, NO_USAGE));
    const settled = await fixture.run(['ledger', 'reservations', 'release', 'req_video']);
    expect(settled.stderr).toBe('switchyard: request: the request "req_video" has been settled\n');
  });
});

describe('the ledger', () => {
  beforeEach(async () => {
    await run('accounts', 'create', 'acme', '--balance-usd', '1');
  });

  test('lists the entries of an account, newest first', async () => {
    fixture.clock.advance(1_000);
    await charge('request-1', 1n, 'ci');
    const table = (await run('ledger', 'list', 'acme')).split('\n').map((line) => line.split(/ {2,}/));
    expect(table.slice(0, 3)).toEqual([
      ['ENTRY', 'TIME', 'KIND', 'AMOUNT', 'KEY', 'REQUEST', 'NOTE'],
      ['2', '2023-11-14T22:13:21Z', 'charge', '-$0.000000001', 'ci', 'request-1'],
      ['1', '2023-11-14T22:13:20Z', 'grant', '$1', '-', '-', 'opening balance'],
    ]);
    expect(JSON.parse(await run('ledger', 'list', 'acme', '--limit', '1', '--json'))).toEqual([
      {
        sequence: 2,
        at: '2023-11-14T22:13:21Z',
        kind: 'charge',
        amount_usd: '-0.000000001',
        account: 'acme',
        key: 'ci',
        request_id: 'request-1',
        note: null,
        idempotency_key: 'charge:request-1',
      },
    ]);
    await run('accounts', 'create', 'other');
    expect(await run('ledger', 'list', 'other')).toBe('No entries for other.\n');
  });

  test('is verified in one line if there is no problem', async () => {
    expect(await run('ledger', 'verify')).toBe('ledger verified (accounts 1, entries 1, charges 0)\n');
    expect(JSON.parse(await run('ledger', 'verify', '--json'))).toEqual({
      ok: true,
      accounts: 1,
      entries: 1,
      charges: 0,
      archived: 0,
      problems: [],
    });
  });

  test('is verified with every problem and exit code 1 otherwise', async () => {
    await run('accounts', 'create', 'zeta', '--balance-usd', '2');
    const { Database } = await import('bun:sqlite');
    const database = new Database(fixture.path('data/switchyard.sqlite'));
    database.run('UPDATE balances SET balance_nano = balance_nano + 1');
    database.close();
    const { exitCode, stdout } = await fixture.run(['ledger', 'verify']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('acme');
    expect(stdout).toContain('zeta');
    expect(stdout).toMatch(/\nproblems 2 \(accounts 2, entries 2, charges 0\)\n$/);
    const json = await fixture.run(['ledger', 'verify', '--json']);
    expect([json.exitCode, JSON.parse(json.stdout).problems.length]).toEqual([1, 2]);
  });
});

describe('apply', () => {
  const apply = async (balance: string) => {
    const path = fixture.path('switchyard.yaml');
    await writeFile(path, `accounts: [{id: acme, balance_usd: "${balance}"}]\n`);
    return fixture.run(['apply', path]);
  };

  test('grants the opening balance once, and reports a different one', async () => {
    expect(await apply('10')).toEqual({
      exitCode: 0,
      stdout:
        'created  account acme\ncreated  channel sandbox\ngranted  $10 to account acme\n' +
        '2 created, 0 updated, 0 unchanged, 0 removed\n',
      stderr: '',
    });
    expect((await apply('10')).stdout).toBe('0 created, 0 updated, 1 unchanged, 0 removed\n');
    expect((await apply('12')).stderr).toBe(
      'notice: account acme: balance_usd was already granted with an amount other than 12; nothing is granted ' +
        '("switchyard accounts grant acme AMOUNT" adds to a balance)\n',
    );
    expect(await run('accounts', 'balance', 'acme')).toContain('$10');
  });
});

test('old charges are archived, proven and listed, and a missing file is named', async () => {
  await run('accounts', 'create', 'acme');
  await run('accounts', 'grant', 'acme', '10');
  await charge('req-1', 1_500_000_000n);
  fixture.clock.advance(100 * 86_400_000);
  await charge('req-2', 500_000_000n);
  const day = (age: number) => new Date(fixture.clock.nowMs() - age * 86_400_000).toISOString().slice(0, 10);
  const folder = fixture.path('archives');
  const young = await fixture.run(['ledger', 'archive', '--before', day(5), '--to', folder]);
  expect(young.stderr).toBe('switchyard: before: must be at least 62 days ago\n');
  const archived = await run('ledger', 'archive', '--before', day(80), '--to', folder);
  expect(archived).toMatch(/^archived 1 charges before \S+ \(\$1\.5\) in ledger-000001-before-\S+\.jsonl\.gz\n$/);
  expect(await run('ledger', 'archive', '--before', day(80), '--to', folder)).toBe('nothing to archive\n');
  expect(await run('accounts', 'balance', 'acme')).toContain('$8');
  const counts = 'accounts 1, entries 2, charges 1; 1 charges are archived';
  const unread = ', whose files were not read: add --archive FOLDER to check them';
  expect(await run('ledger', 'verify')).toBe(`ledger verified (${counts}${unread})\n`);
  expect(await run('ledger', 'verify', '--archive', folder)).toBe(`ledger verified (${counts})\n`);
  expect(await run('ledger', 'list', 'acme')).not.toContain('req-1');
  expect(await run('ledger', 'list', 'acme', '--archive', folder)).toContain('req-1');
  const elsewhere = await fixture.run(['ledger', 'verify', '--archive', fixture.path('nowhere')]);
  expect([elsewhere.exitCode, elsewhere.stdout]).toEqual([
    1,
    expect.stringContaining('.jsonl.gz" is missing from the folder.'),
  ]);
  const unlisted = await fixture.run(['ledger', 'list', 'acme', '--archive', fixture.path('nowhere')]);
  expect(unlisted.stderr).toMatch(/^switchyard: --archive: "ledger-000001\S+" is missing\n$/);
});
