import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ACME, type Ask, Scene } from '../../conformance/management/scene.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';

/* Hostile input and an unavailable database lead to clean errors in the contract's envelope. */

type Call = readonly [path: string, ask?: Ask];

const TIMEOUT_MS = 600_000;
const query = { account_id: ACME };

/** A server for this file only, because the test stops it. */
let postgres: TestPostgres;
let scene: Scene;

beforeAll(async () => {
  postgres = await startTestPostgres();
  scene = await Scene.open({
    DATABASE_URL: await postgres.createDatabase(),
    SWITCHYARD_SECRET: 'the secret of this test',
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await scene?.stop();
  await postgres?.stop();
}, TIMEOUT_MS);

async function told([path, ask]: Call) {
  const { status, body } = await scene.ask(path, ask);
  return [path, status, body.error?.code];
}

test(
  'no NUL character reaches the database',
  async () => {
    const calls: readonly Call[] = [
      ['/accounts/%00'],
      ['/users?search=%00'],
      ['/keys?account_id=%00'],
      ['/requests?model=a%00'],
      ['/balance/grants', { query, body: { usd: '1', note: 'a\u0000' } }],
    ];
    for (const call of calls) expect(await told(call)).toEqual([call[0], 400, 'invalid_value']);
  },
  TIMEOUT_MS,
);

test(
  'every request gets a 503 while the database is unavailable',
  async () => {
    await postgres.crash();
    const headers = { origin: scene.gateway.origin };
    const calls: readonly Call[] = [
      ['/accounts'],
      ['/accounts/acme', { method: 'patch', body: { name: 'New' } }],
      ['/keys', { query, body: {}, headers: { 'idempotency-key': 'once' } }],
      ['/audit/export'],
      ['/ledger/verify'],
      ['/usage'],
      ['/invitations/lookup', { token: null, body: { token: 'a'.repeat(40) } }],
      ['/auth/sign-in/email', { token: null, headers, body: { email: 'ann@example.com', password: 'x' } }],
      ['/keys', { token: 'mt-nobody-has-this-token-000000001' }],
    ];
    for (const call of calls) expect(await told(call)).toEqual([call[0], 503, 'storage_unavailable']);
  },
  TIMEOUT_MS,
);
