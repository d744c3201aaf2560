import { LedgerWriter } from './ledger-writer.ts';
import { LogWriter } from './log-writer.ts';
import { WritingConnection } from './writing-connection.ts';

/** What the thread that writes is started with. */
export interface DeskOptions {
  readonly path: string;
}

/** What can be asked of the thread that writes: methods of these, whose arguments and results are data. */
export interface DeskParts {
  readonly ledger: LedgerWriter;
  readonly log: LogWriter;
}

/** All that writes, over connections of its own; in the thread that writes. */
export class BooksDesk {
  readonly parts: DeskParts;
  readonly connection: WritingConnection;

  constructor({ path }: DeskOptions) {
    this.connection = new WritingConnection(path);
    this.parts = { ledger: new LedgerWriter(this.connection), log: new LogWriter(this.connection) };
  }

  close(): void {
    this.parts.log.close();
    this.connection.close();
  }
}
