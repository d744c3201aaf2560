import type { AccountBooks, AccountsQuery, Books, BooksPicture, BooksQuery } from '../../engine/ports/books.ts';
import { accountsOf, accountsStatements, booksStatements, pictureOf } from '../shared/books-statements.ts';
import type { ReadingThread } from './reading-thread.ts';
import { SQLITE_SUMS } from './sum-dialect.ts';

export class SqliteBooks implements Books {
  readonly #reading: Pick<ReadingThread, 'snapshot'>;

  constructor(reading: Pick<ReadingThread, 'snapshot'>) {
    this.#reading = reading;
  }

  async picture(query: BooksQuery): Promise<BooksPicture> {
    return pictureOf(query, await this.#reading.snapshot(booksStatements(query, SQLITE_SUMS)));
  }

  async pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>> {
    return accountsOf(query, await this.#reading.snapshot(accountsStatements(query, SQLITE_SUMS)));
  }
}
