import pg from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { DatabaseAwayError, StatementTimeoutError } from './database-away-error.ts';

const DEFAULT_MAX = 10;
/** The most statements that may wait for a connection. Further ones are refused at once, since all would only be late. */
const MAX_WAITING = 1_000;
/** The time limit for connecting, and for a pooled connection to become free, unless the URL has `connect_timeout` (in seconds, as in libpq). */
const CONNECT_TIMEOUT_MS = 5_000;
/** The default time limit for connections that no request waits for: a process that starts while its machine is busy needs longer. */
export const OPENING_TIMEOUT_MS = 30_000;
const LONGEST_CONNECT_S = 600;
/** No statement that requests wait for takes longer on a healthy server. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** The time limit for lists and sums shown to people, who have left after a longer wait. */
export const READ_TIMEOUT_MS = 5_000;
/** The server cancels a statement first. The client only gives up by itself if the server does not respond at all. */
const ANSWER_MARGIN_MS = 1_000;
/** Protocol violation: PgBouncer's code for an unknown setting in the startup message. */
const REFUSED_STARTUP = '08P01';
const IDLE_TIMEOUT_MS = 60_000;
const QUERY_CANCELED = '57014';
/** The type of `bigint` columns, which exceed the precision of JavaScript numbers. */
const INT8_OID = 20;

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';

export interface PoolOptions {
  readonly url: string;
  readonly logger: Logger;
  /** `null` for no limit, as for migrations. */
  readonly statementTimeoutMs?: number | null;
  /** The result of `takesStatementTimeout`; `true` by default. */
  readonly serverHasTimeout?: boolean;
  readonly maxConnections?: number;
  /** The time limit for connecting, unless the URL has `connect_timeout`; 5 s by default. */
  readonly connectTimeoutMs?: number;
  /** The name that the server shows for the connections, unless the URL has another; `switchyard` by default. */
  readonly applicationName?: string;
}

/**
 * Opens a pool. Connections are created on demand and replaced when they break. `bigint` columns are returned as `bigint`. The server
 * cancels a statement after `statementTimeoutMs`, so that it does not work for a caller that has given up. A server that vanished from the
 * network cannot, so the client has a timeout as well. It is the only one behind a pooler that rejects the setting.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const { logger, statementTimeoutMs = STATEMENT_TIMEOUT_MS, serverHasTimeout = true } = options;
  const pool = new pg.Pool({
    ...clientConfig(options.url, options.connectTimeoutMs),
    ...(options.applicationName !== undefined && { fallback_application_name: options.applicationName }),
    max: options.maxConnections ?? DEFAULT_MAX,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    ...(statementTimeoutMs === null ? {} : timeouts(statementTimeoutMs, serverHasTimeout)),
    types: { getTypeParser: typeParser },
  });
  // Without these listeners, a broken idle connection or one in use would end the process.
  pool.on('error', (error) => logger.warn({ error: firstLine(error) }, 'a connection to the database broke'));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function timeouts(statementTimeoutMs: number, serverHasTimeout: boolean): pg.ClientConfig {
  if (!serverHasTimeout) return { query_timeout: statementTimeoutMs };
  return { query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS, statement_timeout: statementTimeoutMs };
}

/** Whether the server, or a pooler in front of it, accepts `statement_timeout` in the startup message. */
export async function takesStatementTimeout(url: string): Promise<boolean> {
  const client = new pg.Client({ ...clientConfig(url, OPENING_TIMEOUT_MS), statement_timeout: STATEMENT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (errorCodeOf(error) === REFUSED_STARTUP) return false;
    throw awayOrOwn(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the configuration of every connection. `connectTimeoutMs` applies unless the URL has `connect_timeout`. */
export function clientConfig(url: string, connectTimeoutMs = CONNECT_TIMEOUT_MS): pg.ClientConfig {
  return {
    connectionString: withCheckedCertificates(url),
    connectionTimeoutMillis: connectTimeoutOf(url) ?? connectTimeoutMs,
    keepAlive: true,
    fallback_application_name: 'switchyard',
  };
}

/** Returns the milliseconds that a URL sets; `null` if it sets none. */
function connectTimeoutOf(url: string): number | null {
  const seconds = Number(URL.parse(url)?.searchParams.get('connect_timeout'));
  return seconds > 0 ? Math.min(seconds, LONGEST_CONNECT_S) * 1_000 : null;
}

/** A connection for the duration of a transaction. */
export interface Session {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
}

/** Runs one statement. Throws a `DatabaseAwayError`, or the database's own `pg.DatabaseError` with its `code`. */
export function query<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  sql: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  return withSession(pool, (session) => session.query<Row>(sql, values));
}

/** Runs `work` in one transaction, which is committed when it resolves and rolled back when it rejects. Throws like `query`. */
export function inTransaction<Result>(
  pool: pg.Pool,
  work: (session: Session) => Promise<Result>,
  isolation: Isolation = 'READ COMMITTED',
): Promise<Result> {
  return withSession(pool, async (session) => {
    await session.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    try {
      const result = await work(session);
      await session.query('COMMIT');
      return result;
    } catch (error) {
      if (!(error instanceof DatabaseAwayError)) await session.query('ROLLBACK');
      throw error;
    }
  });
}

async function withSession<Result>(pool: pg.Pool, use: (session: Session) => Promise<Result>): Promise<Result> {
  if (pool.waitingCount >= MAX_WAITING) {
    throw new DatabaseAwayError(`The PostgreSQL database is too slow: ${MAX_WAITING} statements are already waiting.`);
  }
  const client = await pool.connect().catch((error) => {
    throw new DatabaseAwayError(`The PostgreSQL database cannot be reached: ${reasonOf(error)}`, { cause: error });
  });
  let isBroken = false;
  const session: Session = {
    async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      try {
        return await client.query<Row>(sql, [...values]);
      } catch (error) {
        const told = awayOrOwn(error);
        isBroken ||= told instanceof DatabaseAwayError;
        throw told;
      }
    },
  };
  try {
    return await use(session);
  } finally {
    // A broken connection is closed, since its statements could still run among those of the next transaction.
    client.release(isBroken);
  }
}

/** Returns the database's own error about a statement, or a `DatabaseAwayError`. */
export function awayOrOwn(error: unknown): unknown {
  if (error instanceof DatabaseAwayError) return error;
  if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) {
    return new StatementTimeoutError('The PostgreSQL database canceled a statement that took too long.', {
      cause: error,
    });
  }
  if (error instanceof pg.DatabaseError && !isServerGone(error.code ?? '')) return error;
  return new DatabaseAwayError(`The PostgreSQL database does not respond: ${reasonOf(error)}`, { cause: error });
}

/**
 * Whether the code is that of a server that is shutting down, starting or out of resources: classes 08, 57P and 53 of appendix A of the
 * manual.
 */
function isServerGone(code: string): boolean {
  return code.startsWith('08') || code.startsWith('57P') || code.startsWith('53');
}

/** Some system errors, such as those of a host with several addresses, have a code and no message. */
function reasonOf(error: unknown): string {
  return firstLine(error) || (errorCodeOf(error) ?? 'unknown reason');
}

/**
 * With TLS, verifies the server's certificate unless the URL says `sslmode=no-verify`. The driver does so too, but for three of the modes
 * it warns that this will change.
 */
function withCheckedCertificates(url: string): string {
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function typeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format);
}
