import { expect, test } from 'bun:test';
import { settingsFrom } from './settings.ts';

test('the number of PostgreSQL connections is limited', () => {
  const connections = (DATABASE_CONNECTIONS: string) => settingsFrom({}, { DATABASE_CONNECTIONS }).databaseConnections;
  expect([connections('8'), connections('40'), connections('')]).toEqual([8, 40, undefined]);
  for (const text of ['7', '1001', '-1', 'many', '12.5']) {
    expect(() => connections(text)).toThrow(/^DATABASE_CONNECTIONS: must be a number from 8 to 1000/);
  }
});
