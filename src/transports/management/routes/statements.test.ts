import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { TokenActor } from '../../../domain/access/actor.ts';
import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { StatementStore } from '../../../engine/ports/statement-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleCredential, sampleEntry } from '../../../engine/ports/testing/samples.ts';
import { DEFAULT_RETENTION } from '../../../engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import { Management } from '../management.ts';
import { statementRoutes } from './statements.ts';

const NOW_MS = Date.parse('2026-03-10T00:00:00Z');
const ACCOUNTS = 450;
const idOf = (index: number) => `account-${String(index).padStart(3, '0')}`;

let store: Store;
/** The number of accounts on each page that was read. */
let pages: number[];
let requester: TokenActor;
let management: Management;

beforeEach(async () => {
  store = await openTestStore();
  pages = [];
  const statements: StatementStore = {
    figures: (query) => store.statements.figures(query),
    page: (query) => store.statements.page(query),
    figuresOf(query) {
      pages.push(query.accountIds.length);
      return store.statements.figuresOf(query);
    },
  };
  requester = {
    ...{ kind: 'token', accountId: 'house', tokenId: 't', name: 'T', scopes: ['*'], expiresAtMs: null },
    isOperator: true,
  };
  management = new Management(
    statementRoutes({
      store: { directory: store.directory, statements, retention: store.retention },
      clock: { nowMs: () => NOW_MS },
      retention: DEFAULT_RETENTION,
      seller: async () => ({
        name: 'Halyard Gateway Ltd',
        address: ['1 Quay', 'Cork'],
        taxId: 'IE1234567T',
        email: null,
      }),
    }),
    {
      ...{ directory: store.directory, idempotency: store.idempotency, audit: store.audit, clock: new FakeClock() },
      newRequestId: () => 'req_m',
      configurationPath: null,
      requesterOf: async () => requester,
      limits: { refusalOf: async () => null },
      quotas: DEFAULT_QUOTAS,
      settled: async () => ({}),
    },
  );
  await store.directory.write('all', (writer) => {
    for (let index = 0; index < ACCOUNTS; index++) {
      writer.putAccount(sampleAccount({ id: idOf(index), name: index === 7 ? '=1+1, "seven"' : `Customer ${index}` }));
    }
  });
  const accountId = idOf(7);
  const grant = { accountId, amountNanoUsd: 5_000_000_000n, atMs: Date.parse('2026-01-20T00:00:00Z') };
  await store.ledger.append(sampleEntry({ idempotencyKey: 'grant', ...grant }));
  for (const [index, at] of ['2026-02-01T00:00:00Z', '2026-02-28T23:30:00Z', '2026-03-01T00:00:00Z'].entries()) {
    const ids = { requestId: `r-${index}`, accountId, atMs: Date.parse(at) };
    await store.ledger.charge(sampleCharge({ ...ids, costNanoUsd: 1_000_000n * BigInt(index + 1) }));
  }
});
afterEach(closeTestStores);

const ask = (query: string) =>
  management.answer(new Request(`http://gateway/v1/management/statements/export?${query}`), {
    address: null,
    publicOrigin: 'http://gateway',
    isInFlight: () => false,
  });

const objects = async (query: string): Promise<Record<string, unknown>[]> =>
  (await (await ask(`format=jsonl&${query}`)).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>); // One object per line.

test('a month of all accounts is one file, read at most 25 accounts at a time', async () => {
  const answer = await ask('month=2026-02');
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    'attachment; filename="statements-2026-02.csv"',
  ]);
  const lines = (await answer.text()).split('\r\n');
  expect(lines).toHaveLength(1 + ACCOUNTS + 1);
  expect(lines[0]).toStartWith('account,name,month,time_zone,from,to,is_final,opening_usd,');
  expect(lines[8]).toBe(
    `${idOf(7)},"'=1+1, ""seven""",2026-02,UTC,2026-02-01T00:00:00Z,2026-03-01T00:00:00Z,true,5,0,0,0,-0.003,4.997,0,0,0,0,0,0,0,0,0,0`,
  );
  expect(pages.reduce((sum, accounts) => sum + accounts, 0)).toBe(ACCOUNTS);
  expect(Math.max(...pages)).toBeLessThanOrEqual(25);
});

test('a month in another time zone has its own charges, and its end excludes later ones', async () => {
  const [line] = (await objects('month=2026-02&time_zone=Europe/Berlin')).filter(({ account }) => account === idOf(7));
  expect(line).toMatchObject({
    ...{
      object: 'statement',
      time_zone: 'Europe/Berlin',
      from: '2026-01-31T23:00:00Z',
      to: '2026-02-28T23:00:00Z',
    },
    ...{ opening_usd: '5', charges_usd: '-0.001', closing_usd: '4.999', cost_usd: '0.001' },
  });
});

test('the default month is the last complete one', async () => {
  const [line] = await objects('time_zone=Asia/Tokyo');
  expect(line?.month).toBe('2026-02');
});

test('an interrupted export continues after the last account', async () => {
  const left = await objects(`month=2026-02&after=${idOf(446)}`);
  expect(left.map(({ account }) => account)).toEqual([447, 448, 449].map(idOf));
});

test('reading stops when the client does not read', async () => {
  const reader = ((await ask('month=2026-02')).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  expect(pages.length).toBeLessThanOrEqual(2);
});

test.each([
  ['month=2026-13', 'month'],
  ['month=2026-04', 'month'],
  ['month=2026-02&time_zone=Mars', 'time_zone'],
  ['month=2026-02&format=pdf', 'format'],
])('"%s" is refused, naming %s', async (query, field) => {
  const answer = await ask(query);
  const { error } = (await answer.json()) as { error: { param: string; message: string } };
  expect([answer.status, error.param, error.message.includes(field)]).toEqual([400, field, true]);
});

test('only operators may export all accounts', async () => {
  requester = { ...requester, isOperator: false };
  expect((await ask('month=2026-02')).status).toBe(403);
});

test('a statement names its parties and keys, and is a CSV file of its own', async () => {
  const id = idOf(7);
  await store.directory.write({ accounts: [id], serving: false }, (writer) => {
    const billingDetails = { name: 'Seven GmbH', address: ['Kai 7'], taxId: null, email: 'pay@seven.example' };
    writer.putAccount(sampleAccount({ id, name: 'Seven', billingDetails }));
    writer.putCredential(sampleCredential({ accountId: id, id: 'ci', name: '=Search' }));
  });
  const used = { requestId: 'r-key', accountId: id, keyId: 'ci', atMs: Date.parse('2026-02-02T00:00:00Z') };
  await store.ledger.charge(sampleCharge({ ...used, costNanoUsd: 5_000_000n }));
  const read = (path: string) =>
    management.answer(new Request(`http://gateway/v1/management/statements/${path}?account_id=${id}`), {
      ...{ address: null, publicOrigin: 'http://gateway', isInFlight: () => false },
    });
  const statement = await (await read('2026-02')).json();
  expect(statement).toMatchObject({
    seller: { name: 'Halyard Gateway Ltd', address: ['1 Quay', 'Cork'], tax_id: 'IE1234567T', email: null },
    customer: {
      account_name: 'Seven',
      name: 'Seven GmbH',
      address: ['Kai 7'],
      tax_id: null,
      email: 'pay@seven.example',
    },
    by_key: { data: [{ key: 'ci', name: '=Search', cost_usd: '0.008' }] },
  });
  const file = await read('2026-02/csv');
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="statement-${id}-2026-02.csv"`);
  const lines = (await file.text()).split('\r\n');
  expect(lines[0]).toStartWith('group,id,name,amount_usd,cost_usd,requests,');
  expect(lines).toContain('summary,closing,,4.992,,,,,,,,,,');
  expect(lines.find((line) => line.startsWith('key,ci,'))).toStartWith("key,ci,'=Search,,0.008,");
  expect(lines.filter((line) => line.startsWith('day,'))).toHaveLength(3);
});
