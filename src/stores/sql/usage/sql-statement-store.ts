import type {
  AccountBooks,
  AccountsQuery,
  Books,
  BooksPicture,
  BooksQuery,
} from '../../../engine/ports/statement-store.ts';
import type { SqlDialect } from '../program.ts';
import type { Snapshots } from '../snapshot-programs.ts';
import { accountsOf, accountsStatements, booksStatements, pictureOf } from './statement-queries.ts';

/** Reads the figures for account statements and account lists. */
export class SqlBooks implements Books {
  readonly #dialect: SqlDialect;
  readonly #snapshots: Snapshots;

  constructor(dialect: SqlDialect, snapshots: Snapshots) {
    this.#dialect = dialect;
    this.#snapshots = snapshots;
  }

  async picture(query: BooksQuery): Promise<BooksPicture> {
    return pictureOf(query, await this.#snapshots('rowsOfEach', booksStatements(query, this.#dialect)));
  }

  async pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>> {
    return accountsOf(query, await this.#snapshots('rowsOfEach', accountsStatements(query, this.#dialect)));
  }
}
