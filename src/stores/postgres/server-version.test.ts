import { expect, test } from 'bun:test';
import type pg from 'pg';
import { StoreOpenError } from '../shared/store-open-error.ts';
import type { Session } from './connection.ts';
import { refuseOldServer } from './server-version.ts';

/** Returns a stub server that reports this `server_version_num` and `server_version`. */
function serverOf(number: number, version: string): Session {
  return {
    async query<Row extends pg.QueryResultRow>() {
      const rows = [{ number, version }] as unknown as Row[];
      return { rows, rowCount: 1, command: 'SELECT', oid: 0, fields: [] };
    },
  };
}

test.each([
  [140_019, '14.19 (Debian 14.19-1.pgdg12+1)'],
  [90_624, '9.6.24'],
])('a server with the version number %p is refused with both versions', async (number, version) => {
  const refusal = refuseOldServer(serverOf(number, version), 'app on db:5432');
  await expect(refusal).rejects.toBeInstanceOf(StoreOpenError);
  await expect(refusal).rejects.toThrow(
    `Cannot open the database app on db:5432: its server is PostgreSQL ${version}, but Switchyard needs PostgreSQL 15 or later; upgrade the server or set DATABASE_URL to another one.`,
  );
});

test.each([
  [150_000, '15.0'],
  [180_004, '18.4'],
])('a server with the version number %p is taken', async (number, version) => {
  await refuseOldServer(serverOf(number, version), 'app on db:5432');
});
