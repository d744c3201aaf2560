import type { Pool } from 'pg';
import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';
import {
  CHANNEL_HEALTH_COLUMNS,
  type ChannelHealthRow,
  fromChannelHealthRow,
  toChannelHealthValues,
} from '../shared/tables/channel-health.ts';
import { query } from './connection.ts';
import { rowOf, updateAllBut } from './rows.ts';

const COLUMNS = CHANNEL_HEALTH_COLUMNS.join(', ');

const READ = `SELECT ${COLUMNS} FROM channel_health ORDER BY channel_id, upstream_model`;
const READ_SOME = `SELECT ${COLUMNS} FROM channel_health WHERE channel_id = ANY($1) ORDER BY channel_id, upstream_model`;

/**
 * The channel may have been deleted, by this node or another, since the gateway last read the directory; one that is there is
 * kept until this is done. All nodes write in one order, so that none waits for another in a circle.
 */
const UPSERT = `
  INSERT INTO channel_health (${COLUMNS})
  SELECT ${CHANNEL_HEALTH_COLUMNS.map((column) => `came.${column}`).join(', ')}
  FROM json_populate_recordset(null::channel_health, $1) AS came JOIN channels ON channels.id = came.channel_id
  ORDER BY came.channel_id, came.upstream_model
  FOR KEY SHARE OF channels
  ${updateAllBut(['channel_id', 'upstream_model'], CHANNEL_HEALTH_COLUMNS)}
`;

/** Each node writes its own view; readers get the one written last. */
export class PostgresHealth implements HealthStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(channelIds?: readonly string[]): Promise<readonly HealthRow[]> {
    const { rows } =
      channelIds === undefined
        ? await query<ChannelHealthRow>(this.#pool, READ)
        : await query<ChannelHealthRow>(this.#pool, READ_SOME, [channelIds]);
    return rows.map(fromChannelHealthRow);
  }

  async write(rows: readonly HealthRow[]): Promise<void> {
    if (rows.length === 0) return;
    // A statement can change a row once only; of the same one twice, the later counts.
    const latest = new Map(rows.map((row) => [JSON.stringify([row.channelId, row.upstreamModel]), row]));
    const came = [...latest.values()].map((row) => rowOf(CHANNEL_HEALTH_COLUMNS, toChannelHealthValues(row)));
    await query(this.#pool, UPSERT, [JSON.stringify(came)]);
  }
}
