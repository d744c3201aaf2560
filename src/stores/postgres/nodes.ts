import type { Pool } from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import {
  type GatewayNode,
  NODE_LIVING_MS,
  type NodeFacts,
  type NodeRegistry,
  type VersionsInForce,
} from '../../engine/ports/node-registry.ts';
import { FORGOTTEN_AFTER_MS, fromGatewayNodeRow, type GatewayNodeRow } from '../shared/tables/gateway-nodes.ts';
import { ChangeListener } from './change-listener.ts';
import { query } from './connection.ts';

/** The database's clock alone says who is living: those of nodes differ. */
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)';

const BEAT = `
  INSERT INTO gateway_nodes
    (id, host_name, process_id, version, access_version, serving_version, started_at_ms, media_place, last_seen_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${NOW})
  ON CONFLICT (id) DO UPDATE SET
    access_version = excluded.access_version, serving_version = excluded.serving_version,
    last_seen_at_ms = excluded.last_seen_at_ms
`;

export const LIVING_NODES = `SELECT * FROM gateway_nodes WHERE last_seen_at_ms >= ${NOW} - ${NODE_LIVING_MS}
  ORDER BY started_at_ms, id`;

export class PostgresNodes implements NodeRegistry {
  readonly #pool: Pool;
  readonly #listener: ChangeListener;

  constructor({ pool, url, logger }: { readonly pool: Pool; readonly url: string; readonly logger: Logger }) {
    this.#pool = pool;
    this.#listener = new ChangeListener({ url, logger });
  }

  async beat(node: NodeFacts & VersionsInForce): Promise<void> {
    const { id, hostName, processId, version, accessVersion, servingVersion, startedAtMs, mediaPlace } = node;
    const values = [id, hostName, processId, version, accessVersion, servingVersion, startedAtMs, mediaPlace];
    await query(this.#pool, BEAT, values);
  }

  async leave(id: string): Promise<void> {
    const old = `id = $1 OR last_seen_at_ms < ${NOW} - ${FORGOTTEN_AFTER_MS}`;
    await query(this.#pool, `DELETE FROM gateway_nodes WHERE ${old}`, [id]);
  }

  async living(): Promise<readonly GatewayNode[]> {
    const { rows } = await query<GatewayNodeRow>(this.#pool, LIVING_NODES);
    return rows.map(fromGatewayNodeRow);
  }

  onChange(listener: () => void): () => void {
    return this.#listener.add(listener);
  }

  async close(): Promise<void> {
    await this.#listener.close();
  }
}
