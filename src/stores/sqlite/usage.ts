import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { type SumRow, sumStatement, sumsOf } from '../shared/usage-statements.ts';
import { type BooksLink, type Remote, remote } from './books-link.ts';
import type { ReadingThread } from './reading-thread.ts';
import { SQLITE_SUMS } from './sum-dialect.ts';

export class SqliteUsage implements UsageStore {
  readonly #roller: Remote<'usage'>;
  readonly #reading: ReadingThread;

  constructor(thread: BooksLink, reading: ReadingThread) {
    this.#roller = remote(thread, 'usage');
    this.#reading = reading;
  }

  roll(limit: number): Promise<RolledUp> {
    return this.#roller.roll(limit);
  }

  async sum(query: UsageQuery): Promise<readonly UsageSum[]> {
    const [sums = []] = await this.sums([query]);
    return sums;
  }

  async sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    const rows = await this.#reading.snapshot(queries.map((query) => sumStatement(query, SQLITE_SUMS)));
    return queries.map((query, index) => sumsOf((rows[index] ?? []) as readonly SumRow[], query)); // As the statements say.
  }
}
