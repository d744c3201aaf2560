import type { Pool } from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { openPool, type PoolOptions, READ_TIMEOUT_MS, takesStatementTimeout } from './connection.ts';
import { DEFAULT_CONNECTIONS, sharesOf } from './connection-shares.ts';
import { COUNT_TIMEOUT_MS } from './outcomes.ts';

/** A node's connections by purpose, so that one busy purpose cannot starve the others. */
export interface PostgresPools {
  readonly main: Pool;
  readonly responses: Pool;
  /** For key look-ups, so that many wrong keys only delay each other. */
  readonly keys: Pool;
  /** For lists and sums shown to people. */
  readonly reading: Pool;
  /** For counting, which takes longer than everything else. */
  readonly counting: Pool;
}

export interface PostgresPoolsOptions {
  readonly url: string;
  readonly logger: Logger;
  /** The most connections of all pools together. Default `DEFAULT_CONNECTIONS`. */
  readonly maxConnections?: number | undefined;
}

/** Opens a node's pools. Rejects like `query` if the server cannot be reached. */
export async function openPools({ url, logger, maxConnections }: PostgresPoolsOptions): Promise<PostgresPools> {
  const serverHasTimeout = await takesStatementTimeout(url);
  const shares = sharesOf(maxConnections ?? DEFAULT_CONNECTIONS);
  const open = (more: Pick<PoolOptions, 'maxConnections' | 'statementTimeoutMs'>) =>
    openPool({ url, logger, serverHasTimeout, ...more });
  return {
    main: open({ maxConnections: shares.main }),
    responses: open({ maxConnections: shares.responses }),
    keys: open({ maxConnections: shares.keys }),
    reading: open({ maxConnections: shares.reading, statementTimeoutMs: READ_TIMEOUT_MS }),
    counting: open({ maxConnections: shares.counting, statementTimeoutMs: COUNT_TIMEOUT_MS }),
  };
}

export async function endPools(pools: PostgresPools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
}
