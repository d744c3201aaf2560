import { StoreOpenError } from '../shared/store-open-error.ts';
import type { Session } from './connection.ts';

/** The oldest supported major version. Tests run on it and on the newest. */
export const OLDEST_POSTGRES = 15;

/** Throws a `StoreOpenError` if the server is older than `OLDEST_POSTGRES`, before changing anything. */
export async function refuseOldServer(session: Session, name: string): Promise<void> {
  const { rows } = await session.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version`,
  );
  const [server] = rows;
  // Since version 10, the number is the major version times 10,000 plus the minor version.
  if (server === undefined || server.number >= OLDEST_POSTGRES * 10_000) return;
  throw new StoreOpenError(
    `Cannot open the database ${name}: its server is PostgreSQL ${server.version}, but Switchyard needs PostgreSQL ${OLDEST_POSTGRES} or later; upgrade the server or set DATABASE_URL to another one.`,
  );
}
