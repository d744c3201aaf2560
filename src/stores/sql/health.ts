import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';
import { ask, type Columns, type SqlRunner } from './program.ts';

interface ModelHealthRow {
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

const FIGURES = {
  state: 'text',
  available_at_ms: 'double precision',
  openings: 'double precision',
  requests: 'double precision',
  failures: 'double precision',
  last_failure: 'text',
  last_failure_at_ms: 'double precision',
  first_byte_ms: 'double precision',
  updated_at_ms: 'double precision',
} as const satisfies { readonly [Column in keyof ModelHealthRow]: string };

interface HealthTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Columns;
}

/** The channels with one key, and those keys of the others that have an id. */
const TABLES: readonly HealthTable[] = [
  {
    name: 'channel_health',
    key: ['channel_id', 'upstream_model'],
    columns: { channel_id: 'text', upstream_model: 'text', ...FIGURES },
  },
  {
    name: 'upstream_key_health',
    key: ['channel_id', 'upstream_key', 'upstream_model'],
    columns: { channel_id: 'text', upstream_key: 'text', upstream_model: 'text', ...FIGURES },
  },
];
const [OF_CHANNELS, OF_KEYS] = TABLES as [HealthTable, HealthTable]; // Its two entries.

const UPDATES = Object.keys(FIGURES)
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
    return [...(await this.#readFrom(OF_CHANNELS, channelIds)), ...(await this.#readFrom(OF_KEYS, channelIds))];
  }

  async #readFrom({ name, key, columns }: HealthTable, channelIds?: readonly string[]): Promise<HealthRow[]> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, (sql) => {
        const where =
          channelIds === undefined
            ? ''
            : `WHERE channel_id ${dialect.inList(sql.put(JSON.stringify(channelIds)), 'text')}`;
        return `SELECT ${Object.keys(columns).join(', ')} FROM ${name} ${where} ORDER BY ${key.join(', ')}`;
      }),
    );
    return rows.map((row) => fromRow(row as unknown as StoredRow)); // The table's columns.
  }

  async write(rows: readonly HealthRow[]): Promise<void> {
    const isOfKey = (row: HealthRow) => row.keyId !== undefined;
    await this.#writeTo(
      OF_CHANNELS,
      rows.filter((row) => !isOfKey(row)),
    );
    await this.#writeTo(OF_KEYS, rows.filter(isOfKey));
  }

  async #writeTo({ name, key, columns }: HealthTable, rows: readonly HealthRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { dialect } = this.#runner;
    const names = Object.keys(columns);
    // A statement may change a row only once, so the later of two views of one model is kept.
    const latest = new Map(rows.map((row) => [JSON.stringify([row.channelId, row.keyId, row.upstreamModel]), row]));
    const json = JSON.stringify([...latest.values()].map(toRow));
    // The join skips channels deleted since the gateway last read the directory. All nodes write in the same order, which avoids deadlocks.
    await this.#runner.change(
      (sql) => `
        INSERT INTO ${name} (${names.join(', ')})
        SELECT ${names.map((column) => `came.${column}`).join(', ')}
        FROM ${dialect.rowsOf(sql.put(json), 'came', columns)}
        JOIN channels ON channels.id = came.channel_id
        WHERE true
        ORDER BY ${key.map((column) => `came.${column}`).join(', ')}
        ${dialect.keepRowsOf('channels')}
        ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${UPDATES}
      `,
    );
  }
}

interface StoredRow extends ModelHealthRow {
  readonly channel_id: string;
  /** Only in the table of keys. */
  readonly upstream_key?: string;
  readonly upstream_model: string;
}

function toRow(row: HealthRow): StoredRow {
  return {
    channel_id: row.channelId,
    ...(row.keyId !== undefined && { upstream_key: row.keyId }),
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

function fromRow(row: StoredRow): HealthRow {
  return {
    channelId: row.channel_id,
    ...(row.upstream_key !== undefined && { keyId: row.upstream_key }),
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
