import {
  sampleAccount,
  sampleCharge,
  sampleCredential,
  sampleEntry,
  sampleRecord,
} from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * A gateway for crash tests. Opens the data folder exclusively and leases, charges and releases concurrently until it is killed. Prints
 * `<request id> <cost>` for each durable charge.
 */
const AT_ONCE = 20;
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'crash',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  exclusive: true,
});
const { ledger, requestLog, directory } = store;
const balance = { accountId: 'acme', keyId: null };
const limit = { accountId: 'acme', keyId: 'ci' };
const keyLimit = 1_000_000_000_000n;
const startsAtMs = Date.UTC(2026, 10, 23);
const window = { startsAtMs, endsAtMs: startsAtMs + 86_400_000 };
const budget = { ...balance, window };
await directory.write('all', (writer) => {
  writer.putAccount(sampleAccount());
  writer.putCredential(sampleCredential({ limitNanoUsd: keyLimit }));
});
await ledger.append(sampleEntry({ idempotencyKey: 'opening', amountNanoUsd: keyLimit }));

async function request(requestId: string, cost: bigint): Promise<void> {
  const wanted = cost + 500n;
  if ((await ledger.lease(balance, wanted, wanted)) === 0n) throw new Error('The balance should suffice.');
  if ((await ledger.lease(limit, wanted, wanted, keyLimit)) === 0n) throw new Error('The limit should suffice.');
  if ((await ledger.lease(budget, wanted, wanted, keyLimit)) === 0n) throw new Error('The budget should suffice.');
  const budgets = { countedAtMs: startsAtMs, account: window, key: null };
  const charge = sampleCharge({ requestId, budgets, costNanoUsd: cost, fromAccountLease: cost, fromKeyLease: cost });
  await ledger.charge(charge);
  process.stdout.write(`${requestId} ${cost}\n`);
  requestLog.append(sampleRecord({ requestId, costNanoUsd: cost }));
  await Promise.all([balance, limit, budget].map((pool) => ledger.giveBack(pool, 500n)));
}

for (let round = 0; ; round++) {
  const ids = Array.from({ length: AT_ONCE }, (_, index) => `req_${process.pid}_${round}_${index}`);
  await Promise.all(ids.map((id, index) => request(id, BigInt(round * AT_ONCE + index))));
}
