import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';
import {
  CHANNEL_HEALTH_COLUMNS,
  type ChannelHealthRow,
  fromChannelHealthRow,
  toChannelHealthRow,
} from '../shared/tables/channel-health.ts';
import { ask, type SqlRunner } from './program.ts';

const NAMES = Object.keys(CHANNEL_HEALTH_COLUMNS);
const COLUMNS = NAMES.join(', ');
const UPDATES = NAMES.slice(2)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

/** Stores health. Each node writes its own view, and the latest write wins. */
export class SqlHealth implements HealthStore {
  readonly #runner: SqlRunner;

  /** @param runner need not be durable: health lost in a crash is learned again */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async read(channelIds?: readonly string[]): Promise<readonly HealthRow[]> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, (sql) => {
        const where =
          channelIds === undefined
            ? ''
            : `WHERE channel_id ${dialect.inList(sql.put(JSON.stringify(channelIds)), 'text')}`;
        return `SELECT ${COLUMNS} FROM channel_health ${where} ORDER BY channel_id, upstream_model`;
      }),
    );
    return rows.map((row) => fromChannelHealthRow(row as unknown as ChannelHealthRow)); // The table's columns.
  }

  async write(rows: readonly HealthRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { dialect } = this.#runner;
    // A statement may change a row only once, so the later of two views of one model is kept.
    const latest = new Map(rows.map((row) => [JSON.stringify([row.channelId, row.upstreamModel]), row]));
    const json = JSON.stringify([...latest.values()].map(toChannelHealthRow));
    // The join skips channels deleted since the gateway last read the directory. All nodes write in the same order, which avoids deadlocks.
    await this.#runner.change(
      (sql) => `
        INSERT INTO channel_health (${COLUMNS})
        SELECT ${NAMES.map((column) => `came.${column}`).join(', ')}
        FROM ${dialect.rowsOf(sql.put(json), 'came', CHANNEL_HEALTH_COLUMNS)}
        JOIN channels ON channels.id = came.channel_id
        WHERE true
        ORDER BY came.channel_id, came.upstream_model
        ${dialect.keepRowsOf('channels')}
        ON CONFLICT (channel_id, upstream_model) DO UPDATE SET ${UPDATES}
      `,
    );
  }
}
