import type {
  SpendingDelta,
  SpendingSum,
  UpstreamKeyId,
  UpstreamSpendingStore,
} from '../../engine/ports/upstream-spending-store.ts';
import { ask, type Columns, type SqlRow, type SqlRunner } from './program.ts';

const KEY = ['channel_id', 'upstream_key', 'period'];
/** Amounts are texts in JSON, whose numbers are not exact. */
const COLUMN_TYPES: Columns = {
  channel_id: 'text',
  upstream_key: 'text',
  period: 'text',
  spent_nano: 'bigint',
  ends_at_ms: 'bigint',
};
const NAMES = Object.keys(COLUMN_TYPES);

/** Stores sums that all nodes add to. */
export class SqlUpstreamSpending implements UpstreamSpendingStore {
  readonly #runner: SqlRunner;

  /** @param runner durable, and returns integers as `bigint` */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async add(deltas: readonly SpendingDelta[]): Promise<void> {
    if (deltas.length === 0) return;
    const { dialect } = this.#runner;
    const json = JSON.stringify(deltas.map(toRow));
    // The join skips deleted channels. All nodes write in the same order, which avoids deadlocks.
    await this.#runner.change(
      (sql) => `
        INSERT INTO upstream_key_spending (${NAMES.join(', ')})
        SELECT ${NAMES.map((column) => `came.${column}`).join(', ')}
        FROM ${dialect.rowsOf(sql.put(json), 'came', COLUMN_TYPES)}
        JOIN channels ON channels.id = came.channel_id
        WHERE true
        ORDER BY ${KEY.map((column) => `came.${column}`).join(', ')}
        ${dialect.keepRowsOf('channels')}
        ON CONFLICT (${KEY.join(', ')}) DO UPDATE
          SET spent_nano = upstream_key_spending.spent_nano + excluded.spent_nano
      `,
    );
  }

  async read(channelIds?: readonly string[]): Promise<readonly SpendingSum[]> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, (sql) => {
        const where =
          channelIds === undefined
            ? ''
            : `WHERE channel_id ${dialect.inList(sql.put(JSON.stringify(channelIds)), 'text')}`;
        return `SELECT ${KEY.join(', ')}, spent_nano FROM upstream_key_spending ${where} ORDER BY ${KEY.join(', ')}`;
      }),
    );
    return rows.map(fromRow);
  }

  async reset({ channelId, keyId }: UpstreamKeyId): Promise<void> {
    await this.#runner.change(
      (sql) => `
        DELETE FROM upstream_key_spending
        WHERE channel_id = ${sql.put(channelId)} AND upstream_key = ${sql.put(keyId ?? '')}
      `,
    );
  }

  removeEnded(beforeMs: number, limit: number): Promise<number> {
    const { dialect } = this.#runner;
    return this.#runner.change((sql) => {
      const rest = `WHERE ends_at_ms < ${sql.put(Math.floor(beforeMs))} LIMIT ${sql.put(limit)}`;
      return `DELETE FROM upstream_key_spending WHERE ${dialect.firstOf('upstream_key_spending', KEY, rest)}`;
    });
  }
}

function toRow({ channelId, keyId, period, spentNanoUsd, endsAtMs }: SpendingDelta) {
  const key = { channel_id: channelId, upstream_key: keyId ?? '', period };
  return { ...key, spent_nano: String(spentNanoUsd), ends_at_ms: endsAtMs };
}

function fromRow(row: SqlRow): SpendingSum {
  const keyId = String(row.upstream_key);
  return {
    channelId: String(row.channel_id),
    keyId: keyId === '' ? null : keyId,
    period: String(row.period),
    spentNanoUsd: BigInt(String(row.spent_nano)),
  };
}
