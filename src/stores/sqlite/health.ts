import type { Database } from 'bun:sqlite';
import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';
import {
  CHANNEL_HEALTH_COLUMNS,
  type ChannelHealthRow,
  fromChannelHealthRow,
  toChannelHealthValues,
} from '../shared/tables/channel-health.ts';
import { inTransaction } from './connection.ts';

const COLUMNS = CHANNEL_HEALTH_COLUMNS.join(', ');
const READ = `SELECT ${COLUMNS} FROM channel_health ORDER BY channel_id, upstream_model`;
const READ_SOME = `
  SELECT ${COLUMNS} FROM channel_health WHERE channel_id IN (SELECT value FROM json_each(?)) ORDER BY channel_id, upstream_model
`;

/** The channel may have been deleted, by this process or another, since the gateway last read the directory. */
const UPSERT = `
  INSERT INTO channel_health (${CHANNEL_HEALTH_COLUMNS.join(', ')})
  SELECT ${CHANNEL_HEALTH_COLUMNS.map((_column, index) => `?${index + 1}`).join(', ')}
  WHERE EXISTS (SELECT 1 FROM channels WHERE id = ?1)
  ON CONFLICT (channel_id, upstream_model) DO UPDATE SET
    ${CHANNEL_HEALTH_COLUMNS.slice(2)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}
`;

/**
 * Health lost in a crash is learned again, so nothing here waits for the disk. A write rejects while another process holds the
 * lock; the gateway's next write replaces it.
 */
export class SqliteHealth implements HealthStore {
  readonly #database: Database;

  /** @param database the request log's connection: its transactions neither wait for the disk nor long for another process's */
  constructor(database: Database) {
    this.#database = database;
  }

  async read(channelIds?: readonly string[]): Promise<readonly HealthRow[]> {
    const rows =
      channelIds === undefined
        ? this.#database.query<ChannelHealthRow, []>(READ).all()
        : this.#database.query<ChannelHealthRow, [string]>(READ_SOME).all(JSON.stringify(channelIds));
    return rows.map(fromChannelHealthRow);
  }

  async write(rows: readonly HealthRow[]): Promise<void> {
    if (rows.length === 0) return;
    const upsert = this.#database.query(UPSERT);
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const row of rows) upsert.run(...toChannelHealthValues(row));
    });
  }
}
