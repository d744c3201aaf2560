import type { Database } from 'bun:sqlite';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { createContentBox } from '../shared/content-box.ts';
import { AuditAppender } from '../sql/audit.ts';
import { type RetentionParts, SqlRetention } from '../sql/retention.ts';
import { runnerParts } from '../sql/runner-parts.ts';
import { unpackCharges } from './charge-booking.ts';
import { inTransaction, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteHolds } from './holds.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { LogWriter } from './log-writer.ts';
import { SqliteRunner } from './runner.ts';
import { writeProbe } from './store-health.ts';
import { Transactions } from './transactions.ts';
import { UsageRoller } from './usage-roller.ts';
import { type Durability, WritingConnection } from './writing-connection.ts';

/** Log lines may be lost and are retried, so they do not block the writer thread for longer. */
const LOG_BUSY_TIMEOUT_MS = 50;

/** A file belongs to one gateway, and its request log is a single table. */
const RETENTION_PARTS: RetentionParts = {
  claim: async () => true,
  release: async () => {},
  tendLog: async () => {},
  logTables: async () => ['request_log'],
};

/** The start options of the writer thread. */
export interface WriterOptions {
  readonly path: string;
  /** The master secret, which encrypts content. */
  readonly secret: string;
}

/** The objects of the writer thread that can be called. Arguments and results of their methods are plain data. */
export type WriterParts = ReturnType<typeof partsOver>;

/** A call of one method of a part. */
export interface WriterCall {
  readonly id: number;
  readonly part: keyof WriterParts;
  readonly method: string;
  readonly args: readonly unknown[];
  /** The caller's time in milliseconds since 1970. */
  readonly nowMs: number;
}

interface Connections {
  readonly writing: WritingConnection;
  /** Durable connections; `ledger` returns integers as `bigint`. */
  readonly ledger: Database;
  readonly content: Database;
  /** The connection for the gateway's observations, which a machine crash may lose. */
  readonly log: Database;
  readonly steps: Database;
}

/** Connections on which concurrent writes share a transaction and its wait for the disk. */
type Commits = Readonly<Record<'ledger' | 'content', GroupCommit>>;

/** Performs all writes on its own connections. Runs in the writer thread. */
export class SqliteWriter {
  readonly parts: WriterParts;
  readonly connection: WritingConnection;
  readonly #connections: Connections;
  readonly #commits: Commits;
  /** The caller's time at the latest call. */
  #nowMs = Date.now();

  constructor({ path, secret }: WriterOptions) {
    const connections = openConnections(path);
    const clock = { nowMs: () => this.#nowMs };
    this.#connections = connections;
    this.connection = connections.writing;
    this.#commits = { ledger: new GroupCommit(connections.ledger), content: new GroupCommit(connections.content) };
    this.parts = partsOver(connections, this.#commits, secret, clock);
  }

  /** Writes the charges packed by `packCharges`. Resolves to one outcome per charge when they are durable. */
  async charge(packed: string): Promise<readonly ChargeOutcome[]> {
    await this.parts.transactions.whenFree();
    const batch = unpackCharges(packed);
    return await retryWhileBusy(() => this.parts.ledger.charge(batch));
  }

  async call({ part, method, args, nowMs }: Omit<WriterCall, 'id'>): Promise<unknown> {
    this.#nowMs = nowMs;
    if (part !== 'transactions') await this.parts.transactions.whenFree();
    // `Remote` only allows existing methods.
    const of = this.parts[part] as unknown as Record<string, (...values: readonly unknown[]) => unknown>;
    return await of[method]?.(...args);
  }

  /** Writes everything that is queued. */
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
    ledger: openConnection(path, 'FULL', true),
    content: openConnection(path, 'FULL'),
    log,
    steps: openConnection(path, 'FULL'),
  };
}

function partsOver(
  { writing, ledger, content, log, steps }: Connections,
  commits: Commits,
  secret: string,
  clock: { nowMs(): number },
) {
  const onLedger = new SqliteRunner(ledger, (bytes, write) => commits.ledger.run(bytes, write));
  const inContents = new SqliteRunner(content, (bytes, write) => commits.content.run(bytes, write));
  const inWriting = (durability: Durability) =>
    new SqliteRunner(writing.database, (_bytes, write) => writing.runWhenFree(durability, write));
  const inLog = new SqliteRunner(log, (_bytes, write) => inTransaction(log, 'IMMEDIATE', write));
  return {
    ledger: new LedgerWriter(writing),
    log: new LogWriter(writing, inWriting('NORMAL')),
    usage: new UsageRoller(writing),
    retention: new SqlRetention({ runner: inWriting('NORMAL'), durable: inWriting('FULL'), parts: RETENTION_PARTS }),
    probe: { write: (nowMs: number) => writeProbe(writing, nowMs) },
    holds: new SqliteHolds(ledger),
    ...runnerParts(
      { ledger: onLedger, content: inContents, responses: inContents, observations: inLog },
      createContentBox(secret),
      clock,
    ),
    audit: new AuditAppender(inContents),
    transactions: new Transactions(steps),
  };
}
