/** The ledger is not available: the balance is unknown, and a charge could not be written. */
export class LedgerAway extends Error {}

/** The answer of the ledger, at once or later; each exception becomes `LedgerAway`. */
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
