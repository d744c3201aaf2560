import { AdminError } from '../admin-error.ts';

/** Resolves to the error with which a verb refuses its input. */
export async function failureOf(promise: Promise<unknown>): Promise<AdminError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AdminError)) throw new Error(`expected an AdminError, got ${error}`);
  return error;
}
