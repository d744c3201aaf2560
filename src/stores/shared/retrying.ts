const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1_000;
const ATTEMPTS = 5;

/** Returns the back-off after this number of failed attempts (1 or more). */
export function retryWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
}

/**
 * Retries with exponential back-off as long as `mayTryAgain` accepts the error.
 *
 * @param work receives the number of the attempt, starting at 1
 */
export async function retrying<Result>(
  mayTryAgain: (error: unknown) => boolean,
  work: (attempt: number) => Promise<Result>,
  attempts = ATTEMPTS,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !mayTryAgain(error)) throw error;
      await Bun.sleep(retryWaitMs(attempt));
    }
  }
}
