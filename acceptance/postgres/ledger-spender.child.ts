import { writeSync } from 'node:fs';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { NO_USAGE } from '../../src/engine/ports/usage-store.ts';
import { openPool } from '../../src/stores/postgres/connection.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';

/**
 * Run by a test, as one gateway of several: spends the balance of the account `acme` in charges of one unit, from leases of a
 * few, many at a time. Says `ready` on its standard output, begins when there is anything on its standard input, and says each
 * charge that it has made as a line with the request's id. After as many charges as it is told it either dies, as by `kill -9`,
 * or waits for more on its standard input and goes on until the balance is spent.
 *
 *     bun ledger-spender.child.ts <database URL> <name> <charges> dies|waits
 */
const [, , url = '', name = '', chargesText = '', then = ''] = process.argv;
const WORKERS = 10;
const LEASED_AT_ONCE = 40n;
/** So long that it never ends by itself: the test ends it, where it has to. */
const LEASE_MS = 600_000;
const purse = { accountId: 'acme', keyId: null };

const silent = () => {};
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const pool = openPool({ url, logger });
const health = new WriteHealth(async () => null);
const ledger = new PostgresLedger({ pool, clock, nodeId: name, logger, leaseMs: LEASE_MS, health });
const input = Bun.stdin.stream().getReader();
let held = 0n;
let begun = 0;
let said = 0;
let limit = Number(chargesText);

async function takeOne(): Promise<boolean> {
  // Others may take what one has leased before it comes to it.
  while (held === 0n) {
    const granted = await ledger.lease(purse, LEASED_AT_ONCE, 1n);
    if (granted === 0n && held === 0n) return false;
    held += granted;
  }
  held -= 1n;
  return true;
}

async function isSpent(): Promise<boolean> {
  return (await ledger.balance(purse.accountId)).balanceNanoUsd === 0n;
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
    await ledger.charge({ requestId, ...purse, ...leased, atMs: Date.now(), usage: NO_USAGE });
    writeSync(1, `${requestId}\n`);
    said += 1;
    if (then === 'dies' && said >= Number(chargesText)) process.kill(process.pid, 'SIGKILL');
  }
}

const workUntilLimit = () => Promise.all(Array.from({ length: WORKERS }, work));

writeSync(1, 'ready\n');
await input.read();
// Who dies has others under way at that moment.
if (then === 'dies') limit = Number.POSITIVE_INFINITY;
await workUntilLimit();
await input.read();
limit = Number.POSITIVE_INFINITY;
await workUntilLimit();
await ledger.close();
await pool.end();
// Its standard input would keep it.
process.exit(0);
