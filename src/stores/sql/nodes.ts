import type { Clock } from '../../engine/ports/clock.ts';
import {
  type GatewayNode,
  NODE_LIVING_MS,
  type NodeFacts,
  type NodeRegistry,
  type VersionsInForce,
} from '../../engine/ports/node-registry.ts';
import { ask, type SqlProgram, type SqlRow, type SqlRunner } from './program.ts';

/** A node without a heartbeat for this long is deleted. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** The registry of gateway processes that share a database. */
export class SqlNodes implements Omit<NodeRegistry, 'onChange'> {
  readonly #runner: SqlRunner;
  readonly #clock: Pick<Clock, 'nowMs'>;

  /** @param runner need not be durable: a crash may lose a heartbeat */
  constructor(runner: SqlRunner, clock: Pick<Clock, 'nowMs'>) {
    this.#runner = runner;
    this.#clock = clock;
  }

  async beat(node: NodeFacts & VersionsInForce): Promise<void> {
    const { id, hostName, processId, version, accessVersion, servingVersion, startedAtMs, mediaPlace } = node;
    const values = [id, hostName, processId, version, accessVersion, servingVersion, startedAtMs, mediaPlace];
    const { dialect } = this.#runner;
    await this.#runner.change(
      (sql) => `
        INSERT INTO gateway_nodes
          (id, host_name, process_id, version, access_version, serving_version, started_at_ms, media_place, last_seen_at_ms)
        VALUES (${values.map((value) => sql.put(value)).join(', ')}, ${dialect.nowMs(sql, this.#clock.nowMs())})
        ON CONFLICT (id) DO UPDATE SET
          access_version = excluded.access_version, serving_version = excluded.serving_version,
          last_seen_at_ms = excluded.last_seen_at_ms
      `,
    );
  }

  /** Also deletes nodes that stopped sending heartbeats long ago. */
  async leave(id: string): Promise<void> {
    const { dialect } = this.#runner;
    await this.#runner.change((sql) => {
      const now = dialect.nowMs(sql, this.#clock.nowMs());
      return `DELETE FROM gateway_nodes WHERE id = ${sql.put(id)} OR last_seen_at_ms < ${now} - ${FORGOTTEN_AFTER_MS}`;
    });
  }

  living(): Promise<readonly GatewayNode[]> {
    return this.#runner.read(() => livingNodes(this.#runner, this.#clock.nowMs()));
  }
}

export function* livingNodes(
  { dialect }: Pick<SqlRunner, 'dialect'>,
  nowMs: number,
): SqlProgram<readonly GatewayNode[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT * FROM gateway_nodes WHERE last_seen_at_ms >= ${dialect.nowMs(sql, nowMs)} - ${NODE_LIVING_MS}
      ORDER BY started_at_ms, id
    `,
  );
  return rows.map(fromRow);
}

function fromRow(row: SqlRow): GatewayNode {
  return {
    id: String(row.id),
    hostName: String(row.host_name),
    processId: Number(row.process_id),
    version: String(row.version),
    accessVersion: Number(row.access_version),
    servingVersion: Number(row.serving_version),
    startedAtMs: Number(row.started_at_ms),
    lastSeenAtMs: Number(row.last_seen_at_ms),
    mediaPlace: row.media_place === null ? null : String(row.media_place),
  };
}
