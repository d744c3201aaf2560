import { writeSync } from 'node:fs';
import type { Logger } from '../../../engine/ports/logger.ts';
import { NO_USAGE } from '../../../engine/ports/usage-store.ts';
import { WriteHealth } from '../../shared/write-health.ts';
import { openPool } from '../connection.ts';
import { PostgresLedger } from '../ledger.ts';

/**
 * Run by a test, as one gateway of several: spends the balance of the account `acme` in charges of one unit, from leases of a
 * few, many at a time, until nothing was to be had for twice the duration of a lease. Says each charge that it has made,
 * as a line with the request's id, on its standard output.
 *
 *     bun ledger-spender.child.ts <database URL> <name> <lease in milliseconds>
 */
const [, , url = '', name = '', leaseText = ''] = process.argv;
const leaseMs = Number(leaseText);
const WORKERS = 10;
const LEASED_AT_ONCE = 40n;
const purse = { accountId: 'acme', keyId: null };

const silent = () => {};
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const pool = openPool({ url, logger });
const ledger = new PostgresLedger({
  pool,
  clock,
  nodeId: name,
  logger,
  leaseMs,
  health: new WriteHealth(async () => null),
});
let held = 0n;
let spent = 0;
let lastHadMs = performance.now();
ledger.onLeasesLost(() => {
  held = 0n;
});

async function takeOne(): Promise<boolean> {
  // Others may take what one has leased before it comes to it.
  while (held === 0n) {
    const granted = await ledger.lease(purse, LEASED_AT_ONCE, 1n);
    if (granted === 0n && held === 0n) return false;
    held += granted;
  }
  held -= 1n;
  lastHadMs = performance.now();
  return true;
}

async function work(): Promise<void> {
  while (performance.now() - lastHadMs < 2 * leaseMs) {
    if (!(await takeOne())) {
      await Bun.sleep(20);
      continue;
    }
    const requestId = `${name}-${++spent}`;
    await ledger.charge({
      requestId,
      ...purse,
      costNanoUsd: 1n,
      fromAccountLease: 1n,
      fromKeyLease: 0n,
      atMs: Date.now(),
      usage: NO_USAGE,
    });
    writeSync(1, `${requestId}\n`);
    await Bun.sleep(10);
  }
}

await Promise.all(Array.from({ length: WORKERS }, work));
await ledger.close();
await pool.end();
