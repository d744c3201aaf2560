import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { TokenActor } from '../../../domain/access/actor.ts';
import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { pause } from '../../../domain/testing/until.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { Ledger } from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleEntry } from '../../../engine/ports/testing/samples.ts';
import { DEFAULT_RETENTION } from '../../../engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import { Management } from '../management.ts';
import { ledgerRoutes } from './ledger.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
const CHARGES = 2_500;

let store: Store;
let pages: number;
let management: Management;

beforeEach(async () => {
  store = await openTestStore();
  pages = 0;
  const page: Ledger['page'] = (query, after, limit) => {
    pages++;
    // Imitates a store's page that has only scanned entries of other keys.
    if (pages % 2 === 0 && query.keyId !== undefined) return Promise.resolve({ entries: [], next: after });
    return store.ledger.page(query, after, limit);
  };
  const ledger = { page } as Ledger; // The only method that is called.
  const clock = new FakeClock();
  const requester: TokenActor = {
    ...{ kind: 'token', accountId: 'acme', tokenId: 't', name: 'T', scopes: ['*'], expiresAtMs: null },
    isOperator: false,
  };
  const { directory, statements, retention } = store;
  const routes = ledgerRoutes({
    ...{ store: { directory, ledger, statements, retention }, clock },
    retention: DEFAULT_RETENTION,
  });
  management = new Management(routes, {
    ...{ directory: store.directory, idempotency: store.idempotency, audit: store.audit, clock },
    newRequestId: () => 'req_m',
    configurationPath: null,
    requesterOf: async () => requester,
    limits: { refusalOf: async () => null },
    quotas: DEFAULT_QUOTAS,
    settled: async () => ({}),
  });
  await store.directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'acme' })));
  const note = '=HYPERLINK("http://evil", "a, b")';
  await store.ledger.append(
    sampleEntry({ idempotencyKey: 'opening', accountId: 'acme', amountNanoUsd: 1_500_000_000n, atMs: START, note }),
  );
  const charges = Array.from({ length: CHARGES }, (_, index) => {
    const ids = { requestId: `r-${index}`, accountId: 'acme', keyId: `key-${index % 2}` };
    // Three entries share each millisecond.
    return store.ledger.charge(sampleCharge({ ...ids, costNanoUsd: 1n, atMs: START + 1 + Math.floor(index / 3) }));
  });
  await Promise.all(charges);
});
afterEach(closeTestStores);

const ask = (query: string) =>
  management.answer(new Request(`http://gateway/v1/management/ledger/export?${query}`), {
    address: null,
    publicOrigin: 'http://gateway',
    isInFlight: () => false,
  });

test('all entries are exported as CSV once each, newest first, even during writes', async () => {
  const answer = await ask('from=2026-11-01&to=2026-12-01');
  expect(answer.headers.get('content-type')).toStartWith('text/csv');
  expect(answer.headers.get('content-disposition')).toBe(
    'attachment; filename="ledger-acme-2026-11-01-2026-12-01.csv"',
  );
  const late = { requestId: 'late', accountId: 'acme', costNanoUsd: 9n, atMs: START + 86_400_000 };
  await store.ledger.charge(sampleCharge(late));
  const text = await answer.text();
  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(head).toBe('id,at,account,key,kind,amount_usd,request,note,account_name,key_name');
  expect(lines).toHaveLength(CHARGES + 1);
  const requests = lines.slice(0, -1).map((line) => Number(line.split(',')[6]?.slice(2)));
  expect(requests).toEqual(Array.from({ length: CHARGES }, (_, index) => CHARGES - 1 - index));
  expect(lines[0]).toContain(',charge,-0.000000001,');
  expect(lines.at(-1)).toContain(`,grant,1.5,`);
  expect(lines.at(-1)).toContain(`,"'=HYPERLINK(""http://evil"", ""a, b"")",`);
});

test('each entry has the balance right after it, on every page and during writes', async () => {
  const list = async (query: string) => {
    const facts = { address: null, publicOrigin: 'http://gateway', isInFlight: () => false };
    const answer = await management.answer(new Request(`http://gateway/v1/management/ledger?${query}`), facts);
    return (await answer.json()) as {
      readonly data: readonly { readonly amount_usd: string; readonly balance_usd?: string }[];
      readonly next: string | null;
    };
  };
  const units = (usd: string | undefined) => Math.round(Number(usd) * 1e9);
  const seen: { readonly amount_usd: string; readonly balance_usd?: string }[] = [];
  let after = '';
  for (let page = 0; ; page++) {
    const { data, next } = await list(`limit=700${after}`);
    seen.push(...data);
    if (page === 0) await store.usage.roll(1_000);
    // Written late: it is older than the entries of the pages that were read.
    if (page === 1) {
      const late = { requestId: 'late', accountId: 'acme', costNanoUsd: 9n, atMs: START + 1 };
      await store.ledger.charge(sampleCharge(late));
    }
    if (next === null) break;
    after = `&after=${encodeURIComponent(next)}`;
  }
  expect(seen).toHaveLength(CHARGES + 2);
  expect(units(seen[0]?.balance_usd)).toBe(1_500_000_000 - CHARGES);
  const sums = seen.map((_, index) => seen.slice(index).reduce((sum, { amount_usd }) => sum + units(amount_usd), 0));
  // The first two pages were read before the late entry.
  const expected = sums.map((sum, index) => (index < 1_400 ? sum + 9 : sum));
  expect(seen.map(({ balance_usd }) => units(balance_usd))).toEqual(expected);
  expect((await list('kind=grant')).data[0]).not.toHaveProperty('balance_usd');
});

test('filters apply, empty pages do not end the export, and each JSON line is an entry', async () => {
  const answer = await ask('format=jsonl&key=key-1&kind=charge');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="ledger-acme-start-\w+\.jsonl"$/);
  const entries = (await answer.text()).trimEnd().split('\n');
  expect(entries).toHaveLength(CHARGES / 2);
  expect(JSON.parse(entries[0] ?? '')).toMatchObject({ object: 'ledger_entry', key: 'key-1', request: 'r-2499' });
});

test('reading stops after the client has disconnected', async () => {
  const answer = await ask('format=jsonl');
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await pause();
  expect(pages).toBeLessThanOrEqual(2);
});

test.each([
  ['format=xml', 'format'],
  ['kind=gift', 'kind'],
  ['from=yesterday', 'from'],
])('%s is refused by name', async (query, param) => {
  const answer = await ask(query);
  const { error } = (await answer.json()) as { error: { param: string } };
  expect([answer.status, error.param]).toEqual([400, param]);
});
