import type { QueueFigures } from '../../../engine/ports/figures.ts';
import type {
  LogPlace,
  RequestLog,
  RequestLogPage,
  RequestLogQuery,
  RequestRecord,
  WrittenLine,
  WrittenPlace,
} from '../../../engine/ports/request-log.ts';
import type { BatchQueue } from '../../shared/batch-queue.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { openedLine, type SealedLine, sealedLine } from '../../shared/tables/sealed-failure.ts';
import type { SqlReader } from '../program.ts';
import type { Snapshots } from '../snapshot-programs.ts';
import { findLine, lastWritten, recentLines, writtenLines } from './lines.ts';

/** Half of the 50 ms that a listing may take; the rest is for other requests and the response. */
const PAGE_BUDGET_MS = 25;

export interface SqlRequestLogOptions {
  /** Writes lines in batches. */
  readonly queue: Pick<BatchQueue<SealedLine>, 'figures' | 'append' | 'flush' | 'close'>;
  readonly reader: SqlReader;
  readonly snapshots: Snapshots;
  /** Encrypts the texts of failures. */
  readonly box: ContentBox;
}

/** Writes lines from a write-behind queue, many per transaction: with one of its own, each would cost ten times as much. */
export class SqlRequestLog implements RequestLog {
  readonly #options: SqlRequestLogOptions;

  constructor(options: SqlRequestLogOptions) {
    this.#options = options;
  }

  get queue(): QueueFigures {
    return this.#options.queue.figures;
  }

  append(record: RequestRecord): void {
    const { queue, box } = this.#options;
    queue.append(sealedLine(record, box));
  }

  /** Rejects if the lines cannot be written now; they are kept and retried. */
  flush(): Promise<void> {
    return this.#options.queue.flush();
  }

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    await this.#flushed();
    const { reader } = this.#options;
    return (await reader.read(() => recentLines(reader.dialect, limit))).map((line) => this.#opened(line));
  }

  async page(query: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage> {
    await this.#flushed();
    const page = await this.#options.snapshots('logPage', { query, after, limit, budgetMs: PAGE_BUDGET_MS });
    return { ...page, records: page.records.map((line) => this.#opened(line)) };
  }

  async written(after: WrittenPlace, limit: number): Promise<readonly WrittenLine[]> {
    const { reader } = this.#options;
    const lines = await reader.read(() => writtenLines(reader.dialect, after, limit));
    return lines.map(({ id, record }) => ({ id, record: this.#opened(record) }));
  }

  lastWritten(limit: number): Promise<readonly number[]> {
    const { reader } = this.#options;
    return reader.read(() => lastWritten(reader.dialect, limit));
  }

  async find(requestId: string): Promise<RequestRecord | null> {
    await this.#flushed();
    const { reader } = this.#options;
    const line = await reader.read(() => findLine(reader.dialect, requestId));
    return line && this.#opened(line);
  }

  close(): Promise<void> {
    return this.#options.queue.close();
  }

  #opened(line: SealedLine): RequestRecord {
    return openedLine(line, this.#options.box);
  }

  /** The queue reports write failures; lines already written can still be read. */
  async #flushed(): Promise<void> {
    await this.flush().catch(() => {});
  }
}
