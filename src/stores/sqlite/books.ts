import type { Books, BooksPicture, BooksQuery } from '../../engine/ports/books.ts';
import { booksStatements, pictureOf } from '../shared/books-statements.ts';
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
}
