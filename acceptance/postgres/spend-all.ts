import { sampleCharge } from '../../src/engine/ports/testing/samples.ts';
import type { PostgresLedger } from '../../src/stores/postgres/ledger.ts';

const BALANCE = { accountId: 'acme', keyId: null };
const KEY = { accountId: 'acme', keyId: 'ci' };

/**
 * Spends the balance of the account `acme`, one unit per request and twenty requests at a time, from leases that are partly released.
 * Resolves to the outcome of each charge.
 */
export async function spendAll(
  ledger: PostgresLedger,
  requests: number,
  beginning: (index: number) => void = () => {},
): Promise<string[]> {
  const spend = async (index: number) => {
    beginning(index);
    const granted = await ledger.lease(BALANCE, 3n, 1n);
    if (granted === 0n) throw new Error('The balance is lower than expected.');
    await ledger.lease(KEY, 2n, 1n, 1_000_000n);
    const charge = { requestId: `req-${index}`, costNanoUsd: 1n, fromAccountLease: 1n, fromKeyLease: 1n, atMs: index };
    const outcome = await ledger.charge(sampleCharge(charge));
    await Promise.all([ledger.giveBack(BALANCE, granted - 1n), ledger.giveBack(KEY, 1n)]);
    return outcome;
  };
  const outcomes: string[] = [];
  let next = 0;
  const work = async () => {
    while (next < requests) outcomes.push(await spend(next++));
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return outcomes;
}
