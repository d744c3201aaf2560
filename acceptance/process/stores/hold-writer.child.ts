import { SAMPLE_USAGE, sampleEntry, sampleHold } from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * A gateway for crash tests. Opens the data folder exclusively, creates holds, and settles or releases its own and those of earlier
 * gateways until it is killed. Prints `held|settled|released <hold id> <amount>` for each durable step.
 */
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'crash',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  exclusive: true,
});
const { ledger, holds } = store;
const keyLimitNanoUsd = 1_000_000_000n;
await ledger.append(sampleEntry({ idempotencyKey: 'opening', amountNanoUsd: keyLimitNanoUsd }));

async function make(holdId: string): Promise<void> {
  const outcome = await holds.hold(sampleHold({ holdId, keyLimitNanoUsd }));
  if (outcome !== 'held') throw new Error(`The balance should suffice: ${outcome}.`);
  process.stdout.write(`held ${holdId} 50\n`);
  // A lease for another request, which ends with the process.
  await ledger.lease({ accountId: 'acme', keyId: null }, 3n, 3n);
}

async function end(holdId: string, index: number): Promise<void> {
  const ended =
    index % 2 === 0 ? await holds.settle(holdId, BigInt(index), 2, SAMPLE_USAGE) : await holds.release(holdId, 2);
  process.stdout.write(`${ended?.state} ${holdId} ${ended?.chargedNanoUsd}\n`);
}

for (let round = 0; ; round++) {
  await Promise.all([0, 1, 2, 3, 4, 5].map((index) => make(`req_${process.pid}_${round}_${index}`)));
  const open = await holds.list({ state: 'open' }, 4);
  await Promise.all(open.map(({ holdId }, index) => end(holdId, index)));
}
