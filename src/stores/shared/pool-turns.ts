import { Turns } from '../../domain/concurrency/turns.ts';
import type { SpendingPool } from '../../engine/ports/ledger.ts';

/** Serialises operations on the same spending pool. */
export class PoolTurns {
  readonly #turns = new Turns();

  run<Result>({ accountId, keyId, window }: SpendingPool, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]), work);
  }
}
