import type { Pool } from 'pg';
import type { AccountBooks, AccountsQuery, Books, BooksPicture, BooksQuery } from '../../engine/ports/books.ts';
import { accountsOf, accountsStatements, booksStatements, pictureOf } from '../shared/books-statements.ts';
import { snapshot } from './connection.ts';
import { POSTGRES_SUMS } from './sum-dialect.ts';

export class PostgresBooks implements Books {
  readonly #reading: Pool;

  constructor(reading: Pool) {
    this.#reading = reading;
  }

  async picture(query: BooksQuery): Promise<BooksPicture> {
    return pictureOf(query, await snapshot(this.#reading, booksStatements(query, POSTGRES_SUMS)));
  }

  async pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>> {
    return accountsOf(query, await snapshot(this.#reading, accountsStatements(query, POSTGRES_SUMS)));
  }
}
