import type { Database } from 'bun:sqlite';
import { createContentBox } from '../shared/content-box.ts';
import { AuditAppender } from '../sql/audit.ts';
import { SqlCacheReports } from '../sql/cache-reports.ts';
import { SqlHealth } from '../sql/health.ts';
import { SqlHeldCharges } from '../sql/held-charges.ts';
import { SqlHolds } from '../sql/holds.ts';
import { SqlIdempotency } from '../sql/idempotency.ts';
import { SqlKeyUse } from '../sql/key-use.ts';
import { SqlNodes } from '../sql/nodes.ts';
import { SqlObjectOrigins } from '../sql/object-origins.ts';
import { SqlResponses } from '../sql/responses.ts';
import { type RetentionParts, SqlRetention } from '../sql/retention.ts';
import { SqlSnapshots } from '../sql/snapshots.ts';
import { SqlTasks } from '../sql/tasks/sql-tasks.ts';
import { inTransaction, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteHoldMoves } from './hold-moves.ts';
import { type ChargeOutcome, LedgerWriter } from './ledger-writer.ts';
import { LogWriter } from './log-writer.ts';
import { unpackCharges } from './packed.ts';
import { SqliteRunner } from './runner.ts';
import { writeProbe } from './store-health.ts';
import { Transactions } from './transactions.ts';
import { UsageRoller } from './usage-roller.ts';
import { type Durability, WritingConnection } from './writing-connection.ts';

/** Observations may be lost and are tried again: they do not hold up what writes for longer. */
const LOG_BUSY_TIMEOUT_MS = 50;

/** A file belongs to one gateway, and its request log is one table. */
const RETENTION_PARTS: RetentionParts = {
  claim: async () => true,
  release: async () => {},
  tendLog: async () => {},
  logTables: async () => ['request_log'],
};

/** What the thread that writes is started with. */
export interface DeskOptions {
  readonly path: string;
  /** The master secret, under which content is sealed. */
  readonly secret: string;
}

/** What can be asked of the thread that writes: methods of these, whose arguments and results are data. */
export type DeskParts = ReturnType<typeof partsOver>;

/** One method of one of them. */
export interface BooksCall {
  readonly id: number;
  readonly part: keyof DeskParts;
  readonly method: string;
  readonly args: readonly unknown[];
  /** The time of whoever asks, in milliseconds since 1970. */
  readonly nowMs: number;
}

interface Connections {
  readonly writing: WritingConnection;
  /** Of what must outlive a crash of the machine; integers as `bigint`, or not. */
  readonly books: Database;
  readonly content: Database;
  /** Of what gateways have seen, which a crash of the machine may take. */
  readonly log: Database;
  readonly steps: Database;
}

/** Of connections on which writes at the same time share a transaction, and its wait for the disk. */
type Commits = Readonly<Record<'books' | 'content', GroupCommit>>;

/** All that writes, over connections of its own; in the thread that writes. */
export class BooksDesk {
  readonly parts: DeskParts;
  readonly connection: WritingConnection;
  readonly #connections: Connections;
  readonly #commits: Commits;
  /** The time of whoever asks, as it was at the latest call. */
  #nowMs = Date.now();

  constructor({ path, secret }: DeskOptions) {
    const connections = openConnections(path);
    const clock = { nowMs: () => this.#nowMs };
    this.#connections = connections;
    this.connection = connections.writing;
    this.#commits = { books: new GroupCommit(connections.books), content: new GroupCommit(connections.content) };
    this.parts = partsOver(connections, this.#commits, secret, clock);
  }

  /** Of each of the charges (as `packCharges` has made them) the outcome, once they are durable. */
  async charge(packed: string): Promise<readonly ChargeOutcome[]> {
    await this.parts.transactions.whenFree();
    const batch = unpackCharges(packed);
    return await retryWhileBusy(() => this.parts.ledger.charge(batch));
  }

  async call({ part, method, args, nowMs }: Omit<BooksCall, 'id'>): Promise<unknown> {
    this.#nowMs = nowMs;
    if (part !== 'transactions') await this.parts.transactions.whenFree();
    // `Remote` gives only the methods that are there.
    const of = this.parts[part] as unknown as Record<string, (...values: readonly unknown[]) => unknown>;
    return await of[method]?.(...args);
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    const { log, transactions } = this.parts;
    transactions.close();
    await Promise.all(Object.values(this.#commits).map((commits) => commits.close()));
    log.close();
    const { writing, ...others } = this.#connections;
    writing.close();
    for (const connection of Object.values(others)) connection.close();
  }
}

function openConnections(path: string): Connections {
  const log = openConnection(path, 'NORMAL');
  setBusyTimeout(log, LOG_BUSY_TIMEOUT_MS);
  return {
    writing: new WritingConnection(path),
    books: openConnection(path, 'FULL', true),
    content: openConnection(path, 'FULL'),
    log,
    steps: openConnection(path, 'FULL'),
  };
}

function partsOver(
  { writing, books, content, log, steps }: Connections,
  commits: Commits,
  secret: string,
  clock: { nowMs(): number },
) {
  const box = createContentBox(secret);
  const inBooks = new SqliteRunner(books, (bytes, write) => commits.books.run(bytes, write));
  const inContents = new SqliteRunner(content, (bytes, write) => commits.content.run(bytes, write));
  const inWriting = (durability: Durability) =>
    new SqliteRunner(writing.database, (_bytes, write) => writing.runWhenFree(durability, write));
  const inLog = new SqliteRunner(log, (_bytes, write) => inTransaction(log, 'IMMEDIATE', write));
  return {
    ledger: new LedgerWriter(writing),
    log: new LogWriter(writing),
    usage: new UsageRoller(writing),
    retention: new SqlRetention({ runner: inWriting('NORMAL'), durable: inWriting('FULL'), parts: RETENTION_PARTS }),
    probe: { write: (nowMs: number) => writeProbe(writing, nowMs) },
    holds: new SqlHolds(inBooks, new SqliteHoldMoves(books)),
    heldCharges: new SqlHeldCharges(inBooks),
    tasks: new SqlTasks(inBooks, box),
    responses: new SqlResponses({ runner: inContents, box, clock }),
    cacheReports: new SqlCacheReports(inContents, box),
    idempotency: new SqlIdempotency(inContents, box),
    audit: new AuditAppender(inContents),
    health: new SqlHealth(inLog),
    keyUse: new SqlKeyUse(inLog),
    objects: new SqlObjectOrigins(inLog),
    snapshots: new SqlSnapshots(inLog),
    nodes: new SqlNodes(inLog, clock),
    transactions: new Transactions(steps),
  };
}
