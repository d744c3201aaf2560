import { beforeEach, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { WrongKeys } from './wrong-keys.ts';

const WRONG = new Failure('invalid_api_key', { message: 'The API key is not valid.' });
let nowMs: number;
let lines: Readonly<Record<string, unknown>>[];
let counted: string[];
let keys: WrongKeys;

beforeEach(() => {
  nowMs = 1_000;
  lines = [];
  counted = [];
  const note = (fields: Readonly<Record<string, unknown>>) => void lines.push(fields);
  keys = new WrongKeys({
    clock: { monotonicMs: () => nowMs },
    logger: { debug: note, info: note, warn: note, error: note },
    metrics: { keyRefused: (how) => counted.push(how) },
    perMinute: 3,
  });
});

const refuse = (address: string | null) =>
  keys.refused({ envelope: {}, secret: 'sk-wrong', address: () => address }, WRONG);
const codes = (...addresses: string[]) => addresses.map((address) => refuse(address).code);
const [TOLD, WAIT] = ['invalid_api_key', 'rate_limit_exceeded'] as const;

test('the first wrong keys in a minute get the reason, later ones a time to retry', () => {
  expect(codes('10.0.0.1', '10.0.0.1', '10.0.0.1')).toEqual([TOLD, TOLD, TOLD]);
  nowMs += 20_000;
  const failure = refuse('10.0.0.1');
  expect(failure).toMatchObject({ code: WAIT, kind: 'wrong_keys', side: 'client' });
  expect(failure.details.retryAfterMs).toBe(40_000);
  expect(counted).toEqual(['refused', 'refused', 'refused', 'throttled']);
  nowMs += 40_000;
  expect(codes('10.0.0.1')).toEqual([TOLD]);
});

test('each address has its own count, a /64 shares one, and a mapped address counts as IPv4', () => {
  expect(codes('10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2')).toEqual([TOLD, TOLD, TOLD, TOLD]);
  expect(codes('::ffff:10.0.0.1')).toEqual([WAIT]);
  expect(codes('2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:db8:1:2::3', '2001:db8:1:2::4%eth0')).toEqual([
    TOLD,
    TOLD,
    TOLD,
    WAIT,
  ]);
  expect(codes('2001:db8:1:3::1')).toEqual([TOLD]);
});

test('a flood of addresses takes bounded memory', () => {
  for (let index = 0; index < 50_000; index++) refuse(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  keys.report();
  expect(lines).toMatchObject([{ refused: 50_000, throttled: 0, addresses: 10_000 }]);
});

test('one line reports everything since the last, and nothing is logged without wrong keys', () => {
  keys.report();
  codes('10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2', '2001:db8::1');
  keys.report();
  codes('10.0.0.9');
  nowMs += 5_000;
  keys.report();
  nowMs += 5_000;
  keys.report();
  keys.report();
  expect(lines).toEqual([
    { refused: 5, throttled: 1, addresses: 3, most: { '10.0.0.1': 4, '10.0.0.2': 1, '2001:0db8:0000:0000::/64': 1 } },
    { refused: 1, throttled: 0, addresses: 1, most: { '10.0.0.9': 1 } },
  ]);
});
