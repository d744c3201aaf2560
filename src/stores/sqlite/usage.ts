import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { type BooksLink, type Remote, remote } from './books-link.ts';
import type { ReadingThread } from './reading-thread.ts';

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
    return this.#reading.usageSums(queries);
  }
}
