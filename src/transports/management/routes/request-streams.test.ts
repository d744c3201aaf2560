import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { TokenActor } from '../../../domain/access/actor.ts';
import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { LiveRequests } from '../../../engine/admin/requests/live-requests.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import { Management } from '../management.ts';
import { requestStreamRoutes } from './request-streams.ts';
import { requestRoutes } from './requests.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const TOKEN: TokenActor = {
  ...{ kind: 'token', accountId: 'acme', tokenId: 't', name: 'T', scopes: ['*'], expiresAtMs: null },
  isOperator: false,
};

const CURSORS = {
  seal: (cursor: string) => `place ${cursor}`,
  open: (id: string) => /^place (.+)$/.exec(id)?.[1] ?? null,
};

let store: Store;
let requester: TokenActor | null;
let management: Management;
let timer: Timer;

beforeEach(async () => {
  store = await openTestStore();
  requester = TOKEN;
  const clock = new FakeClock();
  const live = new LiveRequests({
    log: store.requestLog,
    names: store.directory,
    clock,
    sleep: async () => {},
    logger: silent,
    cursors: CURSORS,
  });
  timer = setInterval(() => live.look(), 5);
  management = new Management(
    [...requestStreamRoutes({ log: store.requestLog, live, clock }), ...requestRoutes(store, { traceUrl: null })],
    {
      ...{ directory: store.directory, idempotency: store.idempotency, audit: store.audit, clock },
      newRequestId: () => 'req_m',
      configurationPath: null,
      requesterOf: async () => requester,
      limits: { refusalOf: async () => null },
      quotas: DEFAULT_QUOTAS,
      settled: async () => ({}),
    },
  );
});
afterEach(closeTestStores);

afterEach(() => clearInterval(timer));

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(`http://gateway/v1/management${path}`, { headers });
  return management.answer(request, { address: null, publicOrigin: 'http://gateway', isInFlight: () => false });
}

async function write(requestId: string, accountId: string, more = {}): Promise<void> {
  store.requestLog.append(sampleRecord({ requestId, accountId, atMs: 1_000, ...more }));
  await store.requestLog.flush();
}

test('an export matches the filters, for this account only, without formulas', async () => {
  await write('a', 'acme', { tags: ['team==HYPERLINK("http://x")'], modelId: '=1+1' });
  await write('b', 'acme', { status: 503 });
  await write('c', 'other', { modelId: '=1+1' });
  const answer = await get('/requests/export?status=2xx');
  expect(answer.headers.get('content-type')).toStartWith('text/csv');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="requests-[\d-]{10}\.csv"$/);
  const [names, line, end] = (await answer.text()).split('\r\n');
  expect([names?.split(',').slice(0, 3), end]).toEqual([['id', 'at', 'account'], '']);
  expect(line).toStartWith('a,1970-01-01T00:00:01Z,acme,');
  expect(line).toContain(",'=1+1,");
  const json = await get('/requests/export?format=jsonl&status=2xx');
  expect(
    (await json.text())
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one).id),
  ).toEqual(['a']);
});

test('a live view has the lines of its account, resumes after the last event, and ends with the credential', async () => {
  await write('before', 'acme');
  const stream = await get('/requests/live');
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  await write('mine', 'acme');
  await write('theirs', 'other');
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of stream.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    // Both lines have been read by then.
    if (text.includes('"id":"mine"')) requester = null;
  }
  expect(text).toContain('"id":"mine"');
  expect(text).not.toMatch(/"id":"(theirs|before)"/);
  expect(text).toEndWith('event: end\ndata: {"reason":"not_allowed"}\n\n');

  requester = TOKEN;
  const again = await get('/requests/live', { 'last-event-id': 'place 1' });
  requester = { ...TOKEN, scopes: ['keys:read'] };
  expect(await again.text()).toContain('"id":"mine"');
});

test('a live view of all accounts ends when its operator loses the role', async () => {
  requester = { ...TOKEN, isOperator: true };
  const stream = await get('/requests/live');
  requester = TOKEN;
  expect(await stream.text()).toContain('not_allowed');
});

test('an unknown position to resume from is refused by name', async () => {
  const answer = await get('/requests/live?after=yesterday');
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'after' } }]);
});
