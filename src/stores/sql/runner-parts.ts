import type { Clock } from '../../engine/ports/clock.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { SqlBatchRelays } from './batches/sql-batch-relays.ts';
import { SqlBatches } from './batches/sql-batches.ts';
import { SqlFiles } from './batches/sql-files.ts';
import { SqlCacheReports } from './cache-reports.ts';
import { SqlHealth } from './health.ts';
import { SqlHeldCharges } from './held-charges.ts';
import { SqlIdempotency } from './idempotency.ts';
import { SqlKeyUse } from './key-use.ts';
import { SqlNodes } from './nodes.ts';
import { SqlObjectOrigins } from './object-origins.ts';
import type { SqlRunner } from './program.ts';
import { SqlResponses } from './responses.ts';
import { SqlSnapshots } from './snapshots.ts';
import { SqlTasks } from './tasks/sql-tasks.ts';
import { SqlUpstreamSpending } from './upstream-spending.ts';

/** The runners of a database by what is changed. One runner may serve for several. */
export interface PartRunners {
  /** Durable, and returns integers as `bigint`. */
  readonly ledger: SqlRunner;
  /** Durable. */
  readonly content: SqlRunner;
  readonly responses: SqlRunner;
  /** For what a crash of the machine may lose. */
  readonly observations: SqlRunner;
}

/** Returns the ports that need only a runner. In SQLite they run in the writer thread. */
export function runnerParts(
  { ledger, content, responses, observations }: PartRunners,
  box: ContentBox,
  clock: Pick<Clock, 'nowMs'>,
) {
  return {
    heldCharges: new SqlHeldCharges(ledger),
    upstreamSpending: new SqlUpstreamSpending(ledger),
    tasks: new SqlTasks(ledger, box),
    batches: new SqlBatches(ledger, box),
    batchRelays: new SqlBatchRelays(ledger, box),
    files: new SqlFiles(content, box),
    responses: new SqlResponses({ runner: responses, box, clock }),
    cacheReports: new SqlCacheReports(content, box),
    idempotency: new SqlIdempotency(content, box),
    health: new SqlHealth(observations),
    keyUse: new SqlKeyUse(observations),
    objects: new SqlObjectOrigins(observations),
    snapshots: new SqlSnapshots(observations),
    nodes: new SqlNodes(observations, clock),
  };
}
