import type { AccountBooks, AccountsQuery, Books, BooksPicture, BooksQuery } from '../../../engine/ports/books.ts';
import type { SqlDialect, SqlRow, Statement } from '../program.ts';
import { accountsOf, accountsStatements, booksStatements, pictureOf } from './books-statements.ts';

/** Returns the rows of each of the statements, all of one moment. */
export type Snapshot = (statements: readonly Statement[]) => Promise<readonly (readonly SqlRow[])[]>;

/** What statements of account and lists of accounts show. */
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
