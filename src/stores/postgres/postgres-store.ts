import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { PoolFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { NodeRegistry } from '../../engine/ports/node-registry.ts';
import type { Store } from '../../engine/ports/store.ts';
import { createContentBox } from '../shared/content-box.ts';
import { checkSecret } from '../shared/secret/change-secret.ts';
import type { UpgradePolicy } from '../shared/upgrade-plan.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { AuditAppender } from '../sql/audit.ts';
import type { SqlNodes } from '../sql/nodes.ts';
import { POSTGRES } from '../sql/program.ts';
import { queuesOf } from '../sql/queues.ts';
import { Crashes } from '../sql/request-log/crashes.ts';
import type { RecoverPage } from '../sql/request-log/lost-lines.ts';
import { recovering } from '../sql/request-log/write-programs.ts';
import { SqlRetention } from '../sql/retention.ts';
import { runnerParts } from '../sql/runner-parts.ts';
import { storeParts } from '../sql/store-parts.ts';
import { inPool } from './change-secret.ts';
import { inTransaction, query } from './connection.ts';
import { PostgresHolds } from './holds.ts';
import { PostgresLedger } from './ledger.ts';
import { migrate } from './migrate.ts';
import { POSTGRES_CHAIN } from './migrations/index.ts';
import { Notifications } from './notifications.ts';
import { databaseName, toStoreOpenError, wrongUrlError } from './open-error.ts';
import { PostgresOutcomes } from './outcomes.ts';
import { endPools, openPools, type PostgresPools } from './pools.ts';
import { postgresRequestLog } from './request-log.ts';
import { retentionParts } from './retention-parts.ts';
import { PostgresRunner, snapshotsIn } from './runner.ts';
import { refuseOldServer } from './server-version.ts';
import { createWriteProbe } from './store-health.ts';
import { PostgresStoreRunner } from './store-runner.ts';
import { isCurrent } from './upgrade/plan.ts';
import { PostgresUsageRoller } from './usage-roller.ts';

const FACTS =
  "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes, extract(epoch FROM clock_timestamp()) * 1000 AS now_ms";
const DEFAULT_QUEUE_CAPACITY = 100_000;

export interface PostgresStoreOptions {
  /** A URL such as `postgres://user:password@host:5432/database?sslmode=verify-full`; the database must exist. */
  readonly url: string;
  /** The master secret, which encrypts upstream keys and stored responses; the same on all nodes. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most connections of this node, for all purposes together. Default `DEFAULT_CONNECTIONS`. */
  readonly maxConnections?: number | undefined;
  /** Connections that the caller has opened and will end, as tests do to share them between stores; by default the store opens its own. */
  readonly pools?: PostgresPools;
  /** Whether and how a database of an earlier version is upgraded; automatically by default. */
  readonly upgrade?: UpgradePolicy | undefined;
  /** The name of this node in the database, for people; by default its host and process. */
  readonly nodeId?: string;
  /** How long the leases of a crashed node are kept. */
  readonly leaseMs?: number;
  /** The most request log lines in the queue, beyond which the oldest are dropped. Default 100,000. */
  readonly requestLogQueueCapacity?: number;
  /** How long after a crash its lost request log lines are recovered. Default 60 s; less is for tests. */
  readonly recoverLinesAfterMs?: number;
}

/** Opens and migrates the database. Rejects with a `StoreOpenError`. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, logger } = options;
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw wrongUrlError();
  const name = databaseName(url);
  const pools =
    options.pools ??
    (await openPools(options).catch((error) => {
      throw toStoreOpenError(name, error);
    }));
  const end = () => (options.pools === undefined ? endPools(pools) : undefined);
  try {
    await inTransaction(pools.main, (session) => refuseOldServer(session, name));
    // Nearly every start finds the database up to date, and needs no further connections then. A problem is one of `migrate` as well.
    const hasNothingToDo = await isCurrent(pools.main, name, POSTGRES_CHAIN).catch(() => false);
    if (!hasNothingToDo) await migrate(url, logger, name, POSTGRES_CHAIN, options.upgrade);
    await checkSecret(inPool(pools.main), options.secret, name);
    // Connects, so that the first request of a ready gateway does not wait for a name server and a handshake.
    await query(pools.keys, 'SELECT 1');
    return assemble(options, pools, end);
  } catch (error) {
    await end();
    throw toStoreOpenError(name, error);
  }
}

function assemble(options: PostgresStoreOptions, pools: PostgresPools, end: () => Promise<void> | undefined): Store {
  const { clock, logger } = options;
  const pool = pools.main;
  const capacity = options.requestLogQueueCapacity ?? DEFAULT_QUEUE_CAPACITY;
  const runner = new PostgresRunner(pool);
  const box = createContentBox(options.secret);
  const requestLog = postgresRequestLog({ pool, reading: pools.reading, clock, logger, capacity, box });
  const nodeId = options.nodeId ?? `${hostname()}:${process.pid}`;
  const lease = options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs };
  const storeHealth = new WriteHealth(createWriteProbe(pool, clock));
  const crashes = crashesOf(options, runner);
  // A node also recovers lost lines when it starts, since the node that noticed a crash may have crashed as well.
  const onNodeChange = () => crashes.noticed();
  const notifications = new Notifications({ url: options.url, logger });
  const nodeOptions = { nodeId, onNodeChange, ...lease };
  const ledger = new PostgresLedger({ pool, clock, logger, health: storeHealth, notifications, ...nodeOptions });
  const outcomes = new PostgresOutcomes({ pool: pools.counting, mainPool: pool, requestLog });
  const parts = runnerParts(
    { ledger: runner, content: runner, responses: new PostgresRunner(pools.responses), observations: runner },
    box,
    clock,
  );
  let closing: Promise<void> | null = null;
  const close = async () => {
    await Promise.all([crashes.close(), outcomes.close(), requestLog.close(), ledger.close()]);
    await notifications.close();
    await end();
  };
  return {
    ...parts,
    ...storeParts({
      runner: new PostgresStoreRunner({ pool, keyPool: pools.keys, logger }),
      search: runner,
      snapshots: snapshotsIn(pools.reading),
      appender: new AuditAppender(runner),
      roller: new PostgresUsageRoller(pool),
      secret: options.secret,
      kind: 'postgresql',
      facts: FACTS,
    }),
    holds: new PostgresHolds({ pool, ledger }),
    nodes: nodesOf(parts.nodes, notifications),
    retention: new SqlRetention({ runner, durable: runner, parts: retentionParts(pool) }),
    requestLog,
    ledger,
    outcomes,
    storeHealth,
    queues: queuesOf(ledger, requestLog),
    figures: {
      kind: 'postgresql',
      commits: ledger.commits,
      get pools() {
        return Object.entries(pools).map(([name, one]) => poolFigures(name, one));
      },
      get uncoveredNanoUsd() {
        return ledger.uncoveredNanoUsd;
      },
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function poolFigures(name: string, pool: Pool): PoolFigures {
  const { idleCount: idle, totalCount, waitingCount: waiting, options } = pool;
  return { pool: name, waiting, connections: { used: totalCount - idle, idle, max: options.max } };
}

function nodesOf(nodes: SqlNodes, notifications: Notifications): NodeRegistry {
  return {
    beat: (node) => nodes.beat(node),
    leave: (id) => nodes.leave(id),
    living: () => nodes.living(),
    onChange: (listener) => notifications.on('directory', () => listener()),
  };
}

function crashesOf({ clock, logger, recoverLinesAfterMs }: PostgresStoreOptions, runner: PostgresRunner): Crashes {
  const recoverPage: RecoverPage = (task) => runner.write(() => recovering(POSTGRES, task));
  return new Crashes({ reader: runner, recoverPage, clock, logger, recoverAfterMs: recoverLinesAfterMs });
}
