import { expect, test } from 'bun:test';
import type { Pool } from 'pg';
import type { SqlProgram } from '../sql/program.ts';
import { PostgresStoreRunner } from './store-runner.ts';

function* oneStatement(): SqlProgram<unknown> {
  return yield { sql: 'SELECT 1', values: [] };
}

test('an outage of key look-ups is logged once, with its reason', async () => {
  const logged: unknown[] = [];
  const note = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void logged.push([message, fields.error]);
  const logger = { debug: note, info: note, warn: note, error: note };
  let isAway = true;
  const connect = async () => {
    if (isAway) throw new Error('getaddrinfo ENOTFOUND db');
    return { query: async () => ({ rows: [] }), release: () => {} };
  };
  const keyPool = { waitingCount: 0, connect } as unknown as Pool;
  const runner = new PostgresStoreRunner({ pool: keyPool, keyPool, logger });
  const look = () => runner.lookUp(oneStatement).catch(() => 'failed');
  expect([await look(), await look()]).toEqual(['failed', 'failed']);
  isAway = false;
  await look();
  isAway = true;
  await look();
  const line = [
    'API keys cannot be looked up',
    'DatabaseAwayError: The PostgreSQL database cannot be reached: getaddrinfo ENOTFOUND db',
  ];
  expect(logged).toEqual([line, line]);
});
