import { expect, test } from 'bun:test';
import { ProbeTokens } from './probe-tokens.ts';

const HOUR_MS = 3_600_000;
const key = new Uint8Array(32).fill(1);
const at = (nowMs: number, own = key) => new ProbeTokens(own, { nowMs: () => nowMs });
const NOW_MS = 1_800_000_000_000;

test('a token is accepted with the same key for an hour, also if the clocks differ by almost that', () => {
  const token = at(NOW_MS).issue();
  for (const lateMs of [0, HOUR_MS - 1, 1 - HOUR_MS]) expect(at(NOW_MS + lateMs).admits(token)).toBe(true);
  for (const lateMs of [HOUR_MS, -HOUR_MS - 1]) expect(at(NOW_MS + lateMs).admits(token)).toBe(false);
});

test('a token of another key, a changed one and other texts are refused', () => {
  const token = at(NOW_MS).issue();
  const [expires = '', signature = ''] = token.split('.');
  const others = [
    `${Number(expires) + 1}.${signature}`,
    `${expires}.${signature.slice(1)}`,
    expires,
    '',
    '.',
    `${token}.`,
  ];
  for (const other of others) expect(at(NOW_MS).admits(other)).toBe(false);
  expect(at(NOW_MS, new Uint8Array(32)).admits(token)).toBe(false);
});
