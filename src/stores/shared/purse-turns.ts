import type { Purse } from '../../engine/ports/ledger.ts';

/** Runs what is asked of one purse one after the other; different purses do not wait for each other. */
export class PurseTurns {
  /** The last piece of work of each purse that has any. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>({ accountId, keyId, window }: Purse, work: () => Promise<Result>): Promise<Result> {
    const name = JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]);
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#last.set(name, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }
}
