import type { Database } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { BatchQueue } from '../shared/batch-queue.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { SqlRequestLog } from '../sql/request-log/sql-request-log.ts';
import { isLate } from '../sql/request-log/write-programs.ts';
import { isDamage } from './connection.ts';
import { type PackedLine, packLine, packLines } from './packed.ts';
import { SqliteConnectionReader } from './reader.ts';
import type { ReadingThread } from './reading-thread.ts';
import { remote, type WriterLink } from './writer-link.ts';

/** Charges wait for such a batch, which takes about a millisecond. */
const BATCH_LINES = 100;

export interface RequestLogOptions {
  /** A read-only connection. */
  readonly database: Database;
  readonly thread: WriterLink;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most lines in the queue. */
  readonly capacity: number;
  readonly onDamage: (error: unknown) => void;
  readonly reading: ReadingThread;
  readonly box: ContentBox;
}

export function sqliteRequestLog(options: RequestLogOptions): SqlRequestLog {
  const { database, thread, clock, logger, capacity, onDamage, reading, box } = options;
  const writer = remote(thread, 'log');
  const queue = new BatchQueue<PackedLine>({
    write(batch, isRetry) {
      const nowMs = clock.nowMs();
      if (!isRetry && !batch.some(({ record }) => isLate(record, nowMs))) return writer.write(packLines(batch));
      return writer.writeMissing(
        batch.map(({ record }) => record),
        isRetry,
      );
    },
    batchItems: BATCH_LINES,

    ...{ clock, logger, capacity },
    onError: (error) => {
      if (isDamage(error)) onDamage(error);
    },
  });
  return new SqlRequestLog({
    queue: {
      get figures() {
        return queue.figures;
      },
      append: (record) => queue.append(packLine(record)),
      flush: () => queue.flush(),
      close: () => queue.close(),
    },
    reader: new SqliteConnectionReader(database),
    snapshots: reading.snapshots,
    box,
  });
}
