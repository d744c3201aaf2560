import { writeSync } from 'node:fs';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { NO_USAGE } from '../../src/engine/ports/usage-store.ts';
import { openPool } from '../../src/stores/postgres/connection.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';

/**
 * Runs as one of several gateways: spends the balance of the account `acme` in concurrent charges of one unit, from small leases. Prints
 * `ready`, starts on the first line of input, and prints the request id of each charge. After the given number of charges it either dies as
 * by `kill -9`, or waits for a second line and then spends the rest.
 *
 *     bun ledger-spender.child.ts <database URL> <name> <charges> dies|waits
 */
const [, , url = '', name = '', chargesText = '', then = ''] = process.argv;
const WORKERS = 10;
const LEASED_AT_ONCE = 40n;
/** Never expires by itself; the test expires the lease if needed. */
const LEASE_MS = 600_000;
const spendingPool = { accountId: 'acme', keyId: null };

const silent = () => {};
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const pool = openPool({ url, logger });
const health = new WriteHealth(async () => null);
const ledger = new PostgresLedger({ pool, clock, nodeId: name, logger, leaseMs: LEASE_MS, health });
/** Lines, since both may arrive in one chunk if this process is slow. */
const input = console[Symbol.asyncIterator]();
let held = 0n;
let begun = 0;
let said = 0;
let limit = Number(chargesText);

/** One lease at a time, or a few processes would lease the whole balance before the last one has begun. */
let leasing: Promise<bigint> | null = null;

async function leaseMore(): Promise<bigint> {
  const granted = await ledger.lease(spendingPool, LEASED_AT_ONCE, 1n);
  held += granted;
  leasing = null;
  return granted;
}

async function takeOne(): Promise<boolean> {
  // Other requests may use up a lease before this one gets its share.
  while (held === 0n) {
    leasing ??= leaseMore();
    if ((await leasing) === 0n && held === 0n) return false;
  }
  held -= 1n;
  return true;
}

async function isSpent(): Promise<boolean> {
  return (await ledger.balance(spendingPool.accountId)).balanceNanoUsd === 0n;
}

async function work(): Promise<void> {
  while (begun < limit) {
    if (!(await takeOne())) {
      if (await isSpent()) return;
      await Bun.sleep(20);
      continue;
    }
    const requestId = `${name}-${++begun}`;
    const leased = { costNanoUsd: 1n, fromAccountLease: 1n, fromKeyLease: 0n };
    await ledger.charge({ requestId, ...spendingPool, ...leased, atMs: Date.now(), usage: NO_USAGE });
    writeSync(1, `${requestId}\n`);
    said += 1;
    if (then === 'dies' && said >= Number(chargesText)) process.kill(process.pid, 'SIGKILL');
  }
}

const workUntilLimit = () => Promise.all(Array.from({ length: WORKERS }, work));

writeSync(1, 'ready\n');
await input.next();
// A process that dies has other charges in flight at that moment.
if (then === 'dies') limit = Number.POSITIVE_INFINITY;
await workUntilLimit();
await input.next();
limit = Number.POSITIVE_INFINITY;
await workUntilLimit();
await ledger.close();
await pool.end();
// An open standard input would keep the process alive.
process.exit(0);
