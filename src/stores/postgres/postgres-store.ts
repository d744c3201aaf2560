import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { NodeRegistry } from '../../engine/ports/node-registry.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { UsageQuery, UsageSum } from '../../engine/ports/usage-store.ts';
import { createContentBox } from '../shared/content-box.ts';
import { checkSecret } from '../shared/secret/change-secret.ts';
import { createSecretBox, type SecretBox } from '../shared/secret-box.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { SqlAlerts } from '../sql/alerts/sql-alerts.ts';
import { AuditAppender, SqlAuditLog } from '../sql/audit.ts';
import { SqlCacheReports } from '../sql/cache-reports.ts';
import { SqlCaptures } from '../sql/captures/sql-captures.ts';
import { SqlDirectory } from '../sql/directory/sql-directory.ts';
import { SqlAccountErasures } from '../sql/erasures/sql-account-erasures.ts';
import { SqlErasures } from '../sql/erasures/sql-erasures.ts';
import { SqlHealth } from '../sql/health.ts';
import { SqlHeldCharges } from '../sql/held-charges.ts';
import { SqlIdempotency } from '../sql/idempotency.ts';
import { SqlKeyUse } from '../sql/key-use.ts';
import { SqlLedgerArchive } from '../sql/ledger-archive/sql-ledger-archive.ts';
import { SqlNodes } from '../sql/nodes.ts';
import { SqlObjectOrigins } from '../sql/object-origins.ts';
import { SqlPeople } from '../sql/people/sql-people.ts';
import { POSTGRES, runWaiting } from '../sql/program.ts';
import { Crashes } from '../sql/request-log/crashes.ts';
import type { RecoverPage } from '../sql/request-log/lost-lines.ts';
import { recovering } from '../sql/request-log/write-programs.ts';
import { SqlResponses } from '../sql/responses.ts';
import { SqlRetention } from '../sql/retention.ts';
import { SqlSettings } from '../sql/settings.ts';
import { SqlSnapshots } from '../sql/snapshots.ts';
import { SqlTasks } from '../sql/tasks/sql-tasks.ts';
import { usageSums } from '../sql/usage/dearest-accounts.ts';
import { SqlBooks } from '../sql/usage/sql-books.ts';
import { SqlUsage } from '../sql/usage/sql-usage.ts';
import { inPool } from './change-secret.ts';
import {
  inTransaction,
  openPool,
  type PoolOptions,
  READ_TIMEOUT_MS,
  type Session,
  snapshot,
  takesStatementTimeout,
} from './connection.ts';
import { DEFAULT_CONNECTIONS, sharesOf } from './connection-shares.ts';
import { describePostgres } from './describe.ts';
import { PostgresDirectoryRunner } from './directory-runner.ts';
import { postgresHolds } from './hold-moves.ts';
import { PostgresLedger } from './ledger.ts';
import { migrate } from './migrate.ts';
import { Notifications } from './notifications.ts';
import { databaseName, toStoreOpenError, wrongUrlError } from './open-error.ts';
import { COUNT_TIMEOUT_MS, PostgresOutcomes } from './outcomes.ts';
import { PostgresPeopleRunner } from './people.ts';
import { postgresRequestLog } from './request-log.ts';
import { retentionParts } from './retention-parts.ts';
import { answerOf, PostgresRunner } from './runner.ts';
import { refuseOldServer } from './server-version.ts';
import { createWriteProbe } from './store-health.ts';
import { PostgresUsageRoller } from './usage-roller.ts';

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
  /** The name of this node in the database, for people; by default its host and process. */
  readonly nodeId?: string;
  /** How long the leases of a crashed node are kept. */
  readonly leaseMs?: number;
  /** The most request log lines in the queue, beyond which the oldest are dropped. Default 100,000. */
  readonly requestLogQueueCapacity?: number;
  /** How long after a crash its lost request log lines are recovered. Default 60 s; less is for tests. */
  readonly recoverLinesAfterMs?: number;
}

interface Pools {
  readonly main: Pool;
  readonly responses: Pool;
  /** A separate pool for key look-ups, so that many wrong keys only delay each other. */
  readonly keys: Pool;
  /** For lists and sums shown to people. */
  readonly reading: Pool;
  /** For counting, which takes longer than everything else. */
  readonly counting: Pool;
}

/** Opens and migrates the database. Rejects with a `StoreOpenError`. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, logger } = options;
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw wrongUrlError();
  const name = databaseName(url);
  const box = createSecretBox(options.secret);
  const serverHasTimeout = await takesStatementTimeout(url).catch((error) => {
    throw toStoreOpenError(name, error);
  });
  const shares = sharesOf(options.maxConnections ?? DEFAULT_CONNECTIONS);
  const open = (more: Pick<PoolOptions, 'maxConnections' | 'statementTimeoutMs'>) =>
    openPool({ url, logger, serverHasTimeout, ...more });
  const pools: Pools = {
    main: open({ maxConnections: shares.main }),
    responses: open({ maxConnections: shares.responses }),
    keys: open({ maxConnections: shares.keys }),
    reading: open({ maxConnections: shares.reading, statementTimeoutMs: READ_TIMEOUT_MS }),
    counting: open({ maxConnections: shares.counting, statementTimeoutMs: COUNT_TIMEOUT_MS }),
  };
  try {
    await inTransaction(pools.main, (session) => refuseOldServer(session, name));
    await migrate(url, logger, name);
    await checkSecret(inPool(pools.main), options.secret, name);
    return assemble(options, box, pools);
  } catch (error) {
    await endPools(pools);
    throw toStoreOpenError(name, error);
  }
}

function assemble(options: PostgresStoreOptions, box: SecretBox, pools: Pools): Store {
  const { clock, logger } = options;
  const pool = pools.main;
  const capacity = options.requestLogQueueCapacity ?? DEFAULT_QUEUE_CAPACITY;
  const requestLog = postgresRequestLog({ pool, reading: pools.reading, clock, logger, capacity });
  const contentBox = createContentBox(options.secret);
  const responses = new SqlResponses({ runner: new PostgresRunner(pools.responses), box: contentBox, clock });
  const nodeId = options.nodeId ?? `${hostname()}:${process.pid}`;
  const lease = options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs };
  const storeHealth = new WriteHealth(createWriteProbe(pool, clock));
  const crashes = crashesOf(options, new PostgresRunner(pool));
  // A node also recovers lost lines when it starts, since the node that noticed a crash may have crashed as well.
  const onNodeChange = () => crashes.noticed();
  const notifications = new Notifications({ url: options.url, logger });
  const nodeOptions = { nodeId, onNodeChange, ...lease };
  const ledger = new PostgresLedger({ pool, clock, logger, health: storeHealth, notifications, ...nodeOptions });
  const runner = new PostgresRunner(pool);
  const outcomes = new PostgresOutcomes({ pool: pools.counting, mainPool: pool, requestLog });
  const objects = new SqlObjectOrigins(runner);
  const tasks = new SqlTasks(runner, contentBox);
  const cacheReports = new SqlCacheReports(runner, contentBox);
  const idempotency = new SqlIdempotency(runner, contentBox);
  const peopleRunner = new PostgresPeopleRunner(pool);
  const people = new SqlPeople(peopleRunner);
  const alerts = new SqlAlerts(peopleRunner, box);
  const captures = new SqlCaptures(peopleRunner, contentBox);
  let closing: Promise<void> | null = null;
  const close = async () => {
    await Promise.all([crashes.close(), outcomes.close(), requestLog.close(), ledger.close()]);
    await notifications.close();
    await endPools(pools);
  };
  return {
    directory: new SqlDirectory({ runner: new PostgresDirectoryRunner({ pool, keyPool: pools.keys }), box }),
    requestLog,
    responses,
    health: new SqlHealth(runner),
    ledger,
    holds: postgresHolds({ pool, ledger }),
    heldCharges: new SqlHeldCharges(runner),
    tasks,
    keyUse: new SqlKeyUse(runner),
    objects,
    outcomes,
    snapshots: new SqlSnapshots(runner),
    cacheReports,
    audit: new SqlAuditLog({ runner: peopleRunner, reader: runner, appender: new AuditAppender(runner) }),
    idempotency,
    nodes: nodesOf(new SqlNodes(runner, clock), notifications),
    people,
    erasures: new SqlErasures(peopleRunner),
    accountErasures: new SqlAccountErasures(peopleRunner),
    ledgerArchive: new SqlLedgerArchive(peopleRunner),
    settings: new SqlSettings(peopleRunner),
    signIn: peopleRunner.signIn,
    usage: new SqlUsage({ roller: new PostgresUsageRoller(pool), sums: (queries) => sumsIn(pools.reading, queries) }),
    books: new SqlBooks(POSTGRES, (statements) => snapshot(pools.reading, statements)),
    alerts,
    captures,
    retention: new SqlRetention({ runner, durable: runner, parts: retentionParts(pool) }),
    storeHealth,
    describe: () => describePostgres(pool),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function sumsIn(reading: Pool, queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
  const work = async (session: Session) => {
    const sums: (readonly UsageSum[])[] = [];
    for (const query of queries) sums.push(await runWaiting(usageSums(query, POSTGRES), answerOf(session)));
    return sums;
  };
  return inTransaction(reading, work, 'REPEATABLE READ');
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

async function endPools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
}
