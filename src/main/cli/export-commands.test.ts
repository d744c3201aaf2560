import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { Store } from '../../engine/ports/store.ts';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

const DAY_MS = 86_400_000;
const NOW = 1_700_000_000_000;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  for (const account of ['acme', 'zeta']) await fixture.run(['accounts', 'create', account]);
});

afterEach(() => fixture.remove());

const withStore = async (use: (store: Store) => unknown) => {
  const store = await fixture.openStore((await readFile(fixture.path('data/master-secret'), 'utf8')).trim());
  await use(store);
  await store.requestLog.flush();
  await store.close();
};

/** Logs a request of each account a minute ago, and one of yesterday. */
const logRequests = () =>
  withStore(({ requestLog }) => {
    requestLog.append(sampleRecord({ requestId: 'req_old', accountId: 'acme', atMs: NOW - DAY_MS }));
    requestLog.append(sampleRecord({ requestId: 'req_a', accountId: 'acme', atMs: NOW - 60_000, costNanoUsd: 1_234n }));
    requestLog.append(
      sampleRecord({
        requestId: 'req_z',
        accountId: 'zeta',
        atMs: NOW - 30_000,
        modelId: '=1+1',
        requestedModel: '=1+1',
      }),
    );
  });

const lines = (text: string) => text.trimEnd().split(/\r?\n/);

describe('requests', () => {
  beforeEach(logRequests);

  test('are JSON lines, newest first, with exact amounts', async () => {
    const { exitCode, stdout, stderr } = await fixture.run(['export', 'requests']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const found = lines(stdout).map((line) => JSON.parse(line));
    expect(found.map(({ id }) => id)).toEqual(['req_z', 'req_a', 'req_old']);
    expect(found[1]).toMatchObject({
      object: 'request',
      account: 'acme',
      account_name: 'acme',
      cost_usd: '0.000001234',
    });
  });

  test('can be those of one account and time, as CSV that no spreadsheet runs', async () => {
    const { stdout } = await fixture.run([
      'export',
      'requests',
      '--account',
      'acme',
      '--from',
      '2h',
      '--format',
      'csv',
    ]);
    const [head = '', ...rows] = lines(stdout);
    expect(head).toStartWith('id,at,account,key,format,model,channel,');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toStartWith('req_a,2023-11-14T22:12:20');
    const all = await fixture.run(['export', 'requests', '--format', 'csv', '--to', '2023-11-14T22:13:00Z']);
    expect(lines(all.stdout)).toHaveLength(4);
    expect(all.stdout).toContain(",'=1+1,");
    expect((await fixture.run(['export', 'requests', '--to', '12h'])).stdout).toContain('req_old');
  });

  test('are in a file once it is complete, readable by its owner', async () => {
    const path = fixture.path('requests.csv');
    const args = ['export', 'requests', '--format', 'csv', '--output', path];
    expect(await fixture.run(args)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(lines(await readFile(path, 'utf8'))).toHaveLength(4);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, 'mine');
    expect(await fixture.run(args)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('exists already') });
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await fixture.run([...args, '--force'])).exitCode).toBe(0);
    expect(lines(await readFile(path, 'utf8'))).toHaveLength(4);
    expect((await readdir(fixture.folder)).sort()).toEqual(['data', 'requests.csv']);
  });

  test('of a Parquet file without a line that no file can hold, which is named', async () => {
    await withStore(({ requestLog }) => {
      requestLog.append(
        sampleRecord({ requestId: 'req_damaged', accountId: 'acme', atMs: NOW - 1_000, status: 200.5 }),
      );
    });
    const args = ['export', 'requests', '--format', 'parquet', '--output', fixture.path('requests.parquet')];
    expect(await fixture.run(args)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'notice: the request req_damaged was left out: status is not a valid integer\n',
    });
  });

  test('more than one page are all exported once', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `req_${index}`);
    await withStore(({ requestLog }) => {
      for (const requestId of ids) requestLog.append(sampleRecord({ requestId, accountId: 'acme', atMs: NOW - 5_000 }));
    });
    const { stdout } = await fixture.run(['export', 'requests', '--from', '10m']);
    const found = lines(stdout).map((line) => JSON.parse(line).id);
    expect(found.sort()).toEqual([...ids, 'req_a', 'req_z'].sort());
  });
});

describe('ledger', () => {
  test('has the entries of all accounts, with exact amounts', async () => {
    await fixture.run(['accounts', 'grant', 'zeta', '3', '--note', '=cmd']);
    await fixture.run(['accounts', 'grant', 'acme', '10.5']);
    await fixture.run(['accounts', 'adjust', 'acme', '-0.000000001', '--note', 'x']);
    fixture.clock.advance(1_000);
    const { exitCode, stdout, stderr } = await fixture.run(['export', 'ledger', '--format', 'csv']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [head, ...rows] = lines(stdout);
    expect(head).toBe('id,at,account,key,kind,amount_usd,request,note,account_name,key_name');
    expect(rows.map((row) => row.split(',').slice(2, 6).join(' '))).toEqual([
      'acme  adjustment -0.000000001',
      'acme  grant 10.5',
      'zeta  grant 3',
    ]);
    expect(rows[2]).toContain(",'=cmd,");
    const json = lines((await fixture.run(['export', 'ledger', '--account', 'zeta'])).stdout);
    expect(json.map((line) => JSON.parse(line))).toMatchObject([
      { object: 'ledger_entry', amount_usd: '3', account: 'zeta' },
    ]);
  });

  test('without entries is an empty file, or only the head', async () => {
    expect((await fixture.run(['export', 'ledger'])).stdout).toBe('');
    expect(lines((await fixture.run(['export', 'ledger', '--format', 'csv'])).stdout)).toHaveLength(1);
  });
});

test.each([
  [['requests', '--account', 'nobody'], 1, 'account: there is no account "nobody"'],
  [['ledger', '--account', 'nobody'], 1, 'account: there is no account "nobody"'],
  [['ledger', '--from', '1h', '--to', '2h'], 2, '--from: must be before --to'],
  [['requests', '--force'], 2, '--force: needs --output as well'],
  [['requests', '--format', 'xml'], 2, "option '--format <format>' argument 'xml' is invalid."],
  [['requests', '--output', '/nowhere/at/all.csv'], 1, '/nowhere/at/all.csv: cannot be written (ENOENT)'],
])('%j fails in one line', async (args, code, message) => {
  const { exitCode, stdout, stderr } = await fixture.run(['export', ...args]);
  expect([exitCode, stdout]).toEqual([code, '']);
  expect(stderr).toStartWith(`switchyard: ${message}`);
});
