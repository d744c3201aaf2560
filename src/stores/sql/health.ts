import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';
import { ask, type SqlRunner } from './program.ts';

interface ChannelHealthRow {
  readonly channel_id: string;
  readonly upstream_model: string;
  readonly state: HealthRow['state'];
  readonly available_at_ms: number | null;
  readonly openings: number;
  readonly requests: number;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly last_failure_at_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly updated_at_ms: number;
}

/** The primary key comes first. */
const CHANNEL_HEALTH_COLUMNS = {
  channel_id: 'text',
  upstream_model: 'text',
  state: 'text',
  available_at_ms: 'double precision',
  openings: 'double precision',
  requests: 'double precision',
  failures: 'double precision',
  last_failure: 'text',
  last_failure_at_ms: 'double precision',
  first_byte_ms: 'double precision',
  updated_at_ms: 'double precision',
} as const satisfies { readonly [Column in keyof ChannelHealthRow]: string };

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

function toChannelHealthRow(row: HealthRow): ChannelHealthRow {
  return {
    channel_id: row.channelId,
    upstream_model: row.upstreamModel,
    state: row.state,
    available_at_ms: row.availableAtMs,
    openings: row.openings,
    requests: row.requests,
    failures: row.failures,
    last_failure: row.lastFailure,
    last_failure_at_ms: row.lastFailureAtMs,
    first_byte_ms: row.firstByteMs,
    updated_at_ms: row.updatedAtMs,
  };
}

function fromChannelHealthRow(row: ChannelHealthRow): HealthRow {
  return {
    channelId: row.channel_id,
    upstreamModel: row.upstream_model,
    state: row.state,
    availableAtMs: row.available_at_ms,
    openings: row.openings,
    requests: row.requests,
    failures: row.failures,
    lastFailure: row.last_failure,
    lastFailureAtMs: row.last_failure_at_ms,
    firstByteMs: row.first_byte_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
