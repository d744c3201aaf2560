import { expect, test } from 'bun:test';
import { type Replay, Replays, type SentRequest } from './replays.ts';

const KB = 1024;
/** Makes a replay that occupies a little more than 2 KB with its short request and the overhead, so that ten fit into 21 KB. */
const replayOf = (bytes = KB): Replay => ({ bytes });

function sent(body: string, changes: Partial<SentRequest> = {}): SentRequest {
  return { accountId: 'acme', said: '', body: Buffer.from(body), ...changes };
}

function filled(count: number, mostBytes = 21 * KB) {
  const replays = new Replays(mostBytes);
  const left = () => Array.from({ length: 100 }, (_, index) => index).filter((index) => replays.get(sent(`${index}`)));
  for (let index = 0; index < count; index++) replays.set(sent(`${index}`), replayOf());
  return { replays, left };
}

test('a replay is returned until it is deleted', () => {
  const { replays } = filled(0);
  const replay = replayOf();
  replays.set(sent('a'), replay);
  expect(replays.get(sent('a'))).toBe(replay);
  const other = replayOf();
  replays.set(sent('a'), other);
  expect(replays.get(sent('a'))).toBe(other);
  replays.delete(sent('a'));
  replays.delete(sent('a'));
  expect(replays.get(sent('a'))).toBeUndefined();
});

test('the oldest replays are evicted when the memory is full', () => {
  expect(filled(13).left()).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('replays in use stay while others can be evicted', () => {
  const { replays, left } = filled(10);
  for (let index = 10; index < 60; index++) {
    replays.get(sent('0'));
    replays.get(sent('5'));
    replays.set(sent(`${index}`), replayOf());
  }
  expect(left()).toEqual([0, 5, 52, 53, 54, 55, 56, 57, 58, 59]);
});

test('a replay in use is evicted if all are', () => {
  const { replays, left } = filled(10);
  left();
  replays.set(sent('10'), replayOf());
  expect(left()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a replay that is too large is dropped, and evicts only its predecessor', () => {
  const { replays, left } = filled(10);
  replays.set(sent('3'), replayOf(6 * KB));
  expect(left()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
  replays.set(sent('3'), replayOf());
  expect(left()).toHaveLength(10);
});

test('a replay that is deleted and set again counts once', () => {
  const { replays, left } = filled(10);
  for (let time = 0; time < 100; time++) {
    replays.set(sent('9'), replayOf());
    replays.delete(sent('8'));
    replays.set(sent('8'), replayOf());
  }
  expect(left()).toHaveLength(10);
});

test('requests with the same checksum are distinguished, and share one slot', () => {
  const { replays } = filled(0);
  // Two texts with the same CRC-32, found by search.
  const [one, other] = [sent('plumless'), sent('buckeroo')];
  replays.set(one, replayOf());
  expect([replays.get(one) !== undefined, replays.get(other)]).toEqual([true, undefined]);
  replays.delete(other);
  expect(replays.get(one)).toBeDefined();
  replays.set(other, replayOf());
  expect([replays.get(one), replays.get(other) !== undefined]).toEqual([undefined, true]);
});

test('equal bodies are distinguished by account and by metadata', () => {
  const { replays } = filled(0);
  for (const accountId of ['acme', 'globex']) replays.watch(accountId);
  const requests = [sent('{}'), sent('{}', { accountId: 'globex' })];
  for (const request of requests) replays.set(request, replayOf());
  for (const request of requests) expect(replays.get(request)).toBeDefined();
  for (const changes of [{ said: 'x' }, { accountId: 'initech' }])
    expect(replays.get(sent('{}', changes))).toBeUndefined();
});

test('a later change of a body in memory does not change its replay', () => {
  const { replays } = filled(0);
  const body = Buffer.from('{}');
  replays.set(sent('', { body }), replayOf());
  body.fill(0);
  expect(replays.get(sent('{}'))).toBeDefined();
});

test('accounts are watched from their first hit, many at a time', () => {
  const { replays } = filled(0);
  expect(replays.watches('acme')).toBe(false);
  for (let index = 0; index < 10_001; index++) replays.watch(`${index}`);
  expect(['9999', '10000'].map((accountId) => replays.watches(accountId))).toEqual([false, true]);
});
