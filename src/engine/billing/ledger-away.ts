/** The ledger is unavailable: the balance is unknown, or a charge could not be written. */
export class LedgerAway extends Error {}

/** Returns the ledger's answer, synchronously or not. Every exception becomes `LedgerAway`. */
export function fromLedger<Answer>(ask: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
  try {
    const answer = ask();
    return answer instanceof Promise ? answer.catch(isAway) : answer;
  } catch (error) {
    return isAway(error);
  }
}

function isAway(error: unknown): never {
  throw new LedgerAway(error instanceof Error ? error.message : String(error), { cause: error });
}
