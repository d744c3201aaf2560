import { StoreOpenError } from '../shared/store-open-error.ts';
import type { Session } from './connection.ts';

/** The oldest supported major version. Tests run on it and on the newest. */
export const OLDEST_POSTGRES = 15;

/** The only encoding that can hold every text of a request. */
const ENCODING = 'UTF8';

/**
 * Throws a `StoreOpenError` if the server is older than `OLDEST_POSTGRES` or the database has another encoding than UTF-8, before changing
 * anything. A database in SQL_ASCII, the default of a server that was set up in the C locale, would be opened and then fail on every key.
 */
export async function refuseUnsuitableServer(session: Session, name: string): Promise<void> {
  const { rows } = await session.query<{ number: number; version: string; encoding: string }>(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
            current_setting('server_encoding') AS encoding`,
  );
  const [server] = rows;
  if (server === undefined) return;
  // Since version 10, the number is the major version times 10,000 plus the minor version.
  if (server.number < OLDEST_POSTGRES * 10_000)
    throw new StoreOpenError(
      `Cannot open the database ${name}: its server is PostgreSQL ${server.version}, but Switchyard needs PostgreSQL ${OLDEST_POSTGRES} or later; upgrade the server or set DATABASE_URL to another one.`,
    );
  if (server.encoding !== ENCODING)
    throw new StoreOpenError(
      `Cannot open the database ${name}: its encoding is ${server.encoding}, but Switchyard needs UTF8; create one with "createdb --encoding=UTF8 --template=template0" and set DATABASE_URL to it.`,
    );
}
