import type { AccountBooks, AccountsQuery, Books, BooksPicture, BooksQuery } from '../../../engine/ports/books.ts';
import type { SqlDialect, SqlRow, Statement } from '../program.ts';
import { accountsOf, accountsStatements, booksStatements, pictureOf } from './books-statements.ts';

/** Returns the rows of each statement from one snapshot. */
export type Snapshot = (statements: readonly Statement[]) => Promise<readonly (readonly SqlRow[])[]>;

/** Reads the figures for account statements and account lists. */
export class SqlBooks implements Books {
  readonly #dialect: SqlDialect;
  readonly #snapshot: Snapshot;

  constructor(dialect: SqlDialect, snapshot: Snapshot) {
    this.#dialect = dialect;
    this.#snapshot = snapshot;
  }

  async picture(query: BooksQuery): Promise<BooksPicture> {
    return pictureOf(query, await this.#snapshot(booksStatements(query, this.#dialect)));
  }

  async pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>> {
    return accountsOf(query, await this.#snapshot(accountsStatements(query, this.#dialect)));
  }
}
