import { AdminError } from '../admin-error.ts';

/** The error that a verb refuses its input with. */
export async function failureOf(promise: Promise<unknown>): Promise<AdminError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AdminError)) throw new Error(`expected an AdminError, got ${error}`);
  return error;
}
