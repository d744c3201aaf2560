import { expect, test } from 'bun:test';
import { pino } from 'pino';
import { MemoryObjectOrigins } from '../../stores/memory/object-origins.ts';
import { MOST_OBJECTS_OF_ACCOUNT } from '../ports/object-origins.ts';
import { ObjectMemory } from './object-memory.ts';

const HOUR_MS = 3_600_000;

test('an account brings no more in an hour than it may keep, and takes nothing from another', async () => {
  let nowMs = 0;
  const warnings: unknown[] = [];
  const logger = Object.assign(pino({ enabled: false }), { warn: (fields: unknown) => void warnings.push(fields) });
  const objects = new MemoryObjectOrigins();
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const memory = new ObjectMemory({ objects, clock, logger });
  const give = (accountId: string, ids: string[]) =>
    memory.given({ accountId, ids, channelId: 'own', responseId: null });
  const knows = async (accountId: string, id: string) => (await memory.find(accountId, [id])).has(id);
  const many = (from: number) => Array.from({ length: 2_000 }, (_, index) => `file-${from + index}`);
  for (let from = 0; from < MOST_OBJECTS_OF_ACCOUNT; from += 2_000) await give('acme', many(from));
  expect(warnings).toEqual([]);
  await give('acme', ['one-more']);
  await give('acme', ['and-more']);
  await give('beta', ['first']);
  expect([await knows('acme', 'one-more'), await knows('acme', 'and-more'), await knows('beta', 'first')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(warnings).toHaveLength(1);
  nowMs += HOUR_MS;
  await give('acme', ['one-more']);
  expect(await knows('acme', 'one-more')).toBe(true);
});
