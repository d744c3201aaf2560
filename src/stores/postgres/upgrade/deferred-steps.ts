import type { Pool } from 'pg';
import type { Logger } from '../../../engine/ports/logger.ts';
import { errorCodeOf } from '../../shared/error-code.ts';
import { inTransaction, query, type Session } from '../connection.ts';
import { LOCK_TIMEOUT_MS, type LockedWork, untilUnlocked } from './lock-retries.ts';
import type {
  Backfill,
  BuildIndex,
  BuildPartitionedIndex,
  DeferredStep,
  IdRange,
  PostgresMigration,
} from './migration.ts';

const REPORT_EVERY_MS = 10_000;
const UNDEFINED_TABLE = '42P01';

/** The remaining steps of migrations whose schema change is done. */
export const DEFERRED_STEPS_TABLE = `create table if not exists deferred_steps (
  migration text collate "C" not null,
  step text collate "C" not null,
  done_to bigint,
  up_to bigint,
  primary key (migration, step)
)`;

export interface DeferredKey {
  readonly migration: string;
  readonly step: string;
}

export interface Deferred extends DeferredKey {
  readonly work: DeferredStep;
  readonly rowsLeft: number;
}

/** Records the steps. Must run in the transaction that changes the schema. */
export async function deferSteps(
  session: Session,
  migration: string,
  steps: Readonly<Record<string, DeferredStep>>,
  ranges: Readonly<Record<string, IdRange>>,
): Promise<void> {
  for (const step of Object.keys(steps)) {
    const range = ranges[step];
    await session.query('INSERT INTO deferred_steps (migration, step, done_to, up_to) VALUES ($1, $2, $3, $4)', [
      migration,
      step,
      range?.after ?? null,
      range?.upTo ?? null,
    ]);
  }
}

/** Runs the remaining steps in order of the migrations and their steps. */
export async function runDeferredSteps(
  of: LockedWork,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<void> {
  const { pool, logger } = of;
  const left = await stepsLeft(pool, migrations);
  if (left.length === 0) return;
  const secondsLeft = Math.ceil(
    left.reduce((sum, { work, rowsLeft }) => sum + (work.kind === 'backfill' ? rowsLeft / work.rowsPerSecond : 0), 0),
  );
  const rows = left.reduce((sum, { rowsLeft }) => sum + rowsLeft, 0);
  logger.warn(
    { steps: left.length, rows, secondsLeft },
    'the database is being upgraded; other nodes keep serving, and this one starts after the upgrade',
  );
  const beganAtMs = performance.now();
  for (const deferred of left) await run(of, deferred);
  logger.info({ durationMs: Math.round(performance.now() - beganAtMs) }, 'the database has been upgraded');
}

/** Resolves to the remaining steps of these migrations, in order. */
export async function stepsLeft(
  pool: Pool,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<readonly Deferred[]> {
  const { rows } = await query<{ migration: string; step: string; left: bigint | null }>(
    pool,
    'SELECT migration, step, up_to - done_to AS left FROM deferred_steps',
  );
  return Object.entries(migrations).flatMap(([migration, { online }]) =>
    Object.entries(online?.steps ?? {}).flatMap(([step, work]) => {
      const found = rows.find((row) => row.migration === migration && row.step === step);
      return found === undefined ? [] : [{ migration, step, work, rowsLeft: Number(found.left ?? 0) }];
    }),
  );
}

async function run(of: LockedWork, deferred: Deferred): Promise<void> {
  const { pool, logger } = of;
  const { migration, step, work } = deferred;
  if (work.kind === 'backfill') return backfill(pool, logger, deferred, work);
  logger.info({ migration, step }, 'upgrading the database: next step');
  if (work.kind === 'index') await buildIndex(pool, work);
  else if (work.kind === 'partitioned index') await buildPartitionedIndex(of, work);
  else {
    for (const statement of work.statements) {
      if (work.isLocking === true) await untilUnlocked(of, () => query(pool, statement));
      else await query(pool, statement);
    }
  }
  await query(pool, 'DELETE FROM deferred_steps WHERE migration = $1 AND step = $2', [migration, step]);
}

async function backfill(pool: Pool, logger: Logger, deferred: Deferred, work: Backfill): Promise<void> {
  const { migration, step, rowsLeft } = deferred;
  logger.info({ migration, step, what: work.rows, rows: rowsLeft }, 'upgrading the database: rows');
  const beganAtMs = performance.now();
  let reportedAtMs = beganAtMs;
  for (let done = 0; ; ) {
    const left = await inTransaction(pool, (session) => nextBatch(session, deferred, work));
    if (left === 0n) return;
    done = rowsLeft - Number(left);
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) continue;
    reportedAtMs = performance.now();
    const perRowMs = (reportedAtMs - beganAtMs) / Math.max(1, done);
    const secondsLeft = Math.ceil((perRowMs * Number(left)) / 1000);
    const fields = { migration, step, what: work.rows, rowsLeft: Number(left), secondsLeft };
    logger.info(fields, 'upgrading the database: rows');
  }
}

/**
 * Runs the next batch and returns the number of ids left. Locks the row of the step, so that no batch runs twice even if another node
 * believes it is in charge.
 */
async function nextBatch(session: Session, { migration, step }: DeferredKey, work: Backfill): Promise<bigint> {
  const { rows } = await session.query<{ done_to: bigint; up_to: bigint }>(
    'SELECT done_to, up_to FROM deferred_steps WHERE migration = $1 AND step = $2 FOR UPDATE',
    [migration, step],
  );
  const [row] = rows;
  if (row === undefined) return 0n;
  const next = row.done_to + BigInt(work.rowsPerBatch);
  const to = next < row.up_to ? next : row.up_to;
  await session.query(work.sql, [row.done_to, to]);
  if (to === row.up_to) {
    await session.query('DELETE FROM deferred_steps WHERE migration = $1 AND step = $2', [migration, step]);
  } else {
    await session.query('UPDATE deferred_steps SET done_to = $3 WHERE migration = $1 AND step = $2', [
      migration,
      step,
      to,
    ]);
  }
  return row.up_to - to;
}

/** Builds an index. An interrupted build leaves an invalid index, which is maintained but never used. */
async function buildIndex(pool: Pool, { name, on }: BuildIndex): Promise<void> {
  const { rows } = await query<{ indisvalid: boolean }>(
    pool,
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.indisvalid === true) return;
  await query(pool, `DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await query(pool, `CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}

/** Builds and attaches the index of each partition. Retention may drop a partition meanwhile. */
async function buildPartitionedIndex(of: LockedWork, work: BuildPartitionedIndex): Promise<void> {
  const { pool, logger } = of;
  const dropped = new Set<string>();
  for (;;) {
    const left = await partitionsWithout(pool, work);
    const [partition] = left;
    if (partition === undefined) return;
    const name = `${partition}_${work.suffix}`;
    logger.info({ what: name, steps: left.length }, 'upgrading the database: next step');
    try {
      await buildIndex(pool, { kind: 'index', name, on: `${partition} ${work.on}` });
      await untilUnlocked(of, () => attachIndex(pool, work.name, name));
    } catch (error) {
      if (errorCodeOf(error) !== UNDEFINED_TABLE || dropped.has(partition)) throw error;
      dropped.add(partition);
    }
  }
}

/** Resolves to the partitions whose index is not attached yet. */
async function partitionsWithout(pool: Pool, { table, name }: BuildPartitionedIndex): Promise<readonly string[]> {
  const { rows } = await query<{ partition: string }>(
    pool,
    `SELECT relname AS partition FROM pg_inherits AS part JOIN pg_class ON pg_class.oid = part.inhrelid
      WHERE part.inhparent = to_regclass($1) AND NOT EXISTS (
        SELECT FROM pg_inherits AS own JOIN pg_index ON indexrelid = own.inhrelid
          WHERE own.inhparent = to_regclass($2) AND indrelid = part.inhrelid
      )
      ORDER BY relname`,
    [table, name],
  );
  return rows.map(({ partition }) => partition);
}

function attachIndex(pool: Pool, index: string, ofPartition: string): Promise<unknown> {
  return inTransaction(pool, async (session) => {
    await session.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await session.query(`ALTER INDEX ${index} ATTACH PARTITION ${ofPartition}`);
  });
}
