import { expect, test } from 'bun:test';
import { NOWHERE } from '../../domain/concurrency/bag.ts';
import { CallsInProgress, MOST_RUNNING, type RunningCall } from './calls-in-progress.ts';

const CALL: RunningCall = {
  ...{ requestId: 'req_1', atMs: 0, elapsedMs: 5, accountId: 'acme', keyId: 'laptop', format: 'openai-chat' },
  ...{ modelId: 'm', channelId: 'c', stream: false, retryCount: 0, firstByteMs: null },
};

function benchOf() {
  const clock = { nowMs: 5_000, monotonicMs: () => clock.nowMs };
  let atMs = 0;
  const call = (requestId: string, accountId: string | null = 'acme') => ({
    place: NOWHERE,
    atMs: atMs++,
    running: () => ({ ...CALL, requestId, accountId }),
  });
  return { clock, calls: new CallsInProgress(clock), call };
}

test('calls that ended count for a minute', () => {
  const { clock, calls, call } = benchOf();
  calls.ended(call('a'), false);
  clock.nowMs += 30_000;
  calls.ended(call('b'), true);
  expect(calls.lastMinute()).toEqual({ finished: 2, failed: 1 });
  clock.nowMs += 30_000;
  expect(calls.lastMinute()).toEqual({ finished: 1, failed: 1 });
  clock.nowMs += 3_600_000;
  expect(calls.lastMinute()).toEqual({ finished: 0, failed: 0 });
});

test('the longest running calls are listed until they end, filtered and bounded', () => {
  const { calls, call } = benchOf();
  const [first, second, third] = [call('a'), call('b', 'other'), call('c')];
  for (const one of [first, second, third]) calls.began(one);
  const any = { accountId: null, keyId: null, modelId: null, channelId: null };
  const ids = (wanted: object = {}) => calls.oldest({ ...any, ...wanted }).map(({ requestId }) => requestId);
  expect(ids()).toEqual(['a', 'b', 'c']);
  expect(ids({ accountId: 'acme' })).toEqual(['a', 'c']);
  expect(ids({ modelId: 'another' })).toEqual([]);
  calls.ended(first, false);
  expect(ids()).toEqual(['b', 'c']);
  for (let index = 0; index < 100; index++) calls.began(call(`${index}`));
  expect(ids()).toHaveLength(MOST_RUNNING);
});
