import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../../engine/ports/usage-store.ts';

interface SqlUsageOptions {
  /**
   * Differs between the databases: PostgreSQL moves rows in one statement, SQLite in small steps that block the writer thread only briefly.
   */
  readonly roller: Pick<UsageStore, 'roll'>;
  /** Runs `usageSums` for all queries in one snapshot. */
  readonly sums: UsageStore['sums'];
}

export class SqlUsage implements UsageStore {
  readonly #options: SqlUsageOptions;

  constructor(options: SqlUsageOptions) {
    this.#options = options;
  }

  roll(limit: number): Promise<RolledUp> {
    return this.#options.roller.roll(limit);
  }

  async sum(query: UsageQuery): Promise<readonly UsageSum[]> {
    const [sums = []] = await this.sums([query]);
    return sums;
  }

  sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    return this.#options.sums(queries);
  }
}
