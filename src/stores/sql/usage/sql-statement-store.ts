import type {
  AccountFigures,
  AccountsQuery,
  BalancedPage,
  BalancedQuery,
  StatementFigures,
  StatementQuery,
  StatementStore,
} from '../../../engine/ports/statement-store.ts';
import type { SqlDialect } from '../program.ts';
import type { Snapshots } from '../snapshot-programs.ts';
import { accountQueries, accountsOf, figuresFrom, statementQueries } from './statement-queries.ts';

/** Reads the figures for account statements and account lists. */
export class SqlStatementStore implements StatementStore {
  readonly #dialect: SqlDialect;
  readonly #snapshots: Snapshots;

  constructor(dialect: SqlDialect, snapshots: Snapshots) {
    this.#dialect = dialect;
    this.#snapshots = snapshots;
  }

  async figures(query: StatementQuery): Promise<StatementFigures> {
    return figuresFrom(query, await this.#snapshots('rowsOfEach', statementQueries(query, this.#dialect)));
  }

  page(query: BalancedQuery): Promise<BalancedPage> {
    return this.#snapshots('balancedPage', query);
  }

  async figuresOf(query: AccountsQuery): Promise<ReadonlyMap<string, AccountFigures>> {
    return accountsOf(query, await this.#snapshots('rowsOfEach', accountQueries(query, this.#dialect)));
  }
}
