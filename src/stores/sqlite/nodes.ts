import type { Database } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import {
  type GatewayNode,
  NODE_LIVING_MS,
  type NodeFacts,
  type NodeRegistry,
  type VersionsInForce,
} from '../../engine/ports/node-registry.ts';
import { FORGOTTEN_AFTER_MS, fromGatewayNodeRow, type GatewayNodeRow } from '../shared/tables/gateway-nodes.ts';
import { inTransaction } from './connection.ts';

const BEAT = `
  INSERT INTO gateway_nodes
    (id, host_name, process_id, version, access_version, serving_version, started_at_ms, media_place, last_seen_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    access_version = excluded.access_version, serving_version = excluded.serving_version,
    last_seen_at_ms = excluded.last_seen_at_ms
`;

export interface SqliteNodesOptions {
  /** The request log's connection: what is lost in a crash is a sign of life. */
  readonly database: Database;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The one gateway that a file has, for the commands beside it. */
export class SqliteNodes implements Omit<NodeRegistry, 'onChange'> {
  readonly #options: SqliteNodesOptions;

  constructor(options: SqliteNodesOptions) {
    this.#options = options;
  }

  async beat(node: NodeFacts & VersionsInForce): Promise<void> {
    this.#write((database, nowMs) => {
      const { id, hostName, processId, version, accessVersion, servingVersion, startedAtMs, mediaPlace } = node;
      const versions = [accessVersion, servingVersion, startedAtMs];
      database.query(BEAT).run(id, hostName, processId, version, ...versions, mediaPlace, nowMs);
      database.query('DELETE FROM gateway_nodes WHERE last_seen_at_ms < ?').run(nowMs - FORGOTTEN_AFTER_MS);
    });
  }

  async leave(id: string): Promise<void> {
    this.#write((database) => database.query('DELETE FROM gateway_nodes WHERE id = ?').run(id));
  }

  async living(): Promise<readonly GatewayNode[]> {
    const { database, clock } = this.#options;
    const living = 'SELECT * FROM gateway_nodes WHERE last_seen_at_ms >= ? ORDER BY started_at_ms, id';
    return database
      .query<GatewayNodeRow, [number]>(living)
      .all(clock.nowMs() - NODE_LIVING_MS)
      .map(fromGatewayNodeRow);
  }

  #write(write: (database: Database, nowMs: number) => void): void {
    const { database, clock } = this.#options;
    inTransaction(database, 'IMMEDIATE', () => write(database, clock.nowMs()));
  }
}

/** For a gateway that starts: the file is its own, so no other one lives. */
export function forgetNodes(database: Database): void {
  database.run('DELETE FROM gateway_nodes');
}
