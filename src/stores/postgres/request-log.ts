import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { BatchQueue } from '../shared/batch-queue.ts';
import type { ContentBox } from '../shared/content-box.ts';
import type { SealedLine } from '../shared/tables/sealed-failure.ts';
import { usageOfLines } from '../shared/tables/usage.ts';
import { POSTGRES } from '../sql/program.ts';
import { SqlRequestLog } from '../sql/request-log/sql-request-log.ts';
import {
  insertLines,
  insertUsage,
  isLate,
  linesJson,
  usageJson,
  writingMissing,
} from '../sql/request-log/write-programs.ts';
import { query } from './connection.ts';
import { PostgresRunner, snapshotsIn } from './runner.ts';

/** Inserts lines and their usage deltas in one statement, atomically. */
const INSERT = `WITH lines AS (${insertLines(POSTGRES, '$1')}) ${insertUsage(POSTGRES, '$2')}`;

export interface PostgresRequestLogOptions {
  readonly pool: Pool;
  /** A pool for searches by people, which may take longer than statements that requests wait for. */
  readonly reading: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most lines in the queue. */
  readonly capacity: number;
  readonly box: ContentBox;
}

export function postgresRequestLog(options: PostgresRequestLogOptions): SqlRequestLog {
  const { pool, reading, clock, logger, capacity, box } = options;
  const runner = new PostgresRunner(pool);
  return new SqlRequestLog({
    queue: new BatchQueue<SealedLine>({
      async write(batch, isRetry) {
        const nowMs = clock.nowMs();
        if (isRetry || batch.some((line) => isLate(line, nowMs))) {
          await runner.write(() => writingMissing(POSTGRES, batch, isRetry));
        } else await query(pool, INSERT, [linesJson(batch), usageJson(usageOfLines(batch))]);
      },

      ...{ clock, logger, capacity },
    }),
    reader: new PostgresRunner(reading),
    snapshots: snapshotsIn(reading),
    box,
  });
}
