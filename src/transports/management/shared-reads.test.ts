import { expect, test } from 'bun:test';
import type { ManagementCall } from './route.ts';
import { type SharedCall, sharedRead } from './shared-reads.ts';

interface Query {
  readonly top: number;
}

function reading() {
  const clock = { now: 1_000_000, nowMs: () => clock.now };
  const calls: SharedCall<Query>[] = [];
  let next: Promise<unknown> | null = null;
  const handle = sharedRead(clock, async (call: SharedCall<Query>) => {
    calls.push(call);
    const number = calls.length;
    const answer = await (next ?? `${call.accountId} ${number}`);
    return { answer };
  });
  const ask = async (accountId: string | null, cacheControl: string | null = 'max-age=1', top = 5) => {
    const headers = new Headers(cacheControl === null ? {} : { 'cache-control': cacheControl });
    const call = { accountId, params: {}, query: { top }, headers, requester: { name: 'nobody should see me' } };
    const { body } = await handle(call as unknown as ManagementCall<Query>);
    const read = typeof body === 'string' ? JSON.parse(body) : body;
    return read.answer as string;
  };
  return { clock, calls, ask, answerWith: (answer: Promise<unknown> | null) => (next = answer) };
}

test('equal reads share a response up to the age that each accepts, at most six seconds', async () => {
  const { clock, calls, ask } = reading();
  expect(await ask('acme')).toBe('acme 1');
  clock.now += 1_000;
  expect(await ask('acme')).toBe('acme 1');
  clock.now += 1;
  expect(await ask('acme')).toBe('acme 2');
  clock.now += 3_000;
  expect(await ask('acme', 'max-age=3')).toBe('acme 2');
  clock.now += 3_000;
  expect(await ask('acme', 'max-age=3600')).toBe('acme 2');
  clock.now += 1;
  expect(await ask('acme', 'max-age=3600')).toBe('acme 3');
  clock.now -= 5_000;
  expect(await ask('acme')).toBe('acme 4');
  expect(calls).toHaveLength(4);
});

test('an account never gets a response for another account, all accounts or another query', async () => {
  const { calls, ask } = reading();
  expect(await ask('acme')).toBe('acme 1');
  expect(await ask('other')).toBe('other 2');
  expect(await ask(null)).toBe('null 3');
  expect(await ask('null')).toBe('null 4');
  expect(await ask('acme', 'max-age=1', 6)).toBe('acme 5');
  expect(await ask('acme')).toBe('acme 1');
  for (const call of calls) expect(Object.keys(call).toSorted()).toEqual(['accountId', 'params', 'query']);
});

test('a read that accepts no older response gets a new one', async () => {
  const { ask } = reading();
  expect(await ask('acme')).toBe('acme 1');
  expect(await ask('acme', null)).toBe('acme 2');
  expect(await ask('acme', 'no-cache')).toBe('acme 3');
  expect(await ask('acme', 'max-age=0')).toBe('acme 4');
  expect(await ask('acme', 'no-transform, max-age=1')).toBe('acme 1');
});

test('concurrent reads are combined, and a failure only reaches those who waited', async () => {
  const { calls, ask, answerWith } = reading();
  answerWith(Promise.reject(new Error('away')));
  const both = await Promise.allSettled([ask('acme'), ask('acme')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toHaveLength(1);
  answerWith(null);
  expect(await Promise.all([ask('acme'), ask('acme'), ask('acme')])).toEqual(['acme 2', 'acme 2', 'acme 2']);
});

test('the stored responses are bounded', async () => {
  const { calls, ask } = reading();
  for (let index = 0; index < 101; index++) await ask(`account-${index}`);
  await ask('account-100');
  expect(calls).toHaveLength(101);
  await ask('account-0');
  expect(calls).toHaveLength(102);
});

test('the oldest responses are evicted when all together have too many characters', async () => {
  const { calls, ask, answerWith } = reading();
  answerWith(Promise.resolve('x'.repeat(7_000_000)));
  for (const top of [1, 2, 3]) await ask('acme', 'max-age=1', top);
  for (const top of [3, 2]) await ask('acme', 'max-age=1', top);
  expect(calls).toHaveLength(3);
  await ask('acme', 'max-age=1', 1);
  expect(calls).toHaveLength(4);
});
