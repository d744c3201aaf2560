import { Turns } from '../../domain/concurrency/turns.ts';
import type { Purse } from '../../engine/ports/ledger.ts';

/** Serialises operations on the same purse. */
export class PurseTurns {
  readonly #turns = new Turns();

  run<Result>({ accountId, keyId, window }: Purse, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]), work);
  }
}
