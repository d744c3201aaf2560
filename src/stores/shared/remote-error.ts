import { LedgerConflict } from '../../engine/ports/ledger.ts';
import { errorCodeOf } from './error-code.ts';
import { SecretBoxError } from './secret-box.ts';

/** An error in transferable form. Its class and code would be lost between threads or processes. */
export interface RemoteError {
  readonly kind: keyof typeof CLASSES;
  readonly message: string;
  readonly code: string | null;
  /** The context of a `SecretBoxError`. */
  readonly context: string;
}

/** The error classes that callers distinguish. */
const CLASSES = {
  conflict: ({ message }: RemoteError) => new LedgerConflict(message),
  range: ({ message }: RemoteError) => new RangeError(message),
  secret: ({ context, message }: RemoteError) => new SecretBoxError(context, message),
  other: ({ message }: RemoteError) => new Error(message),
} as const;

export function toRemoteError(error: unknown): RemoteError {
  const message = error instanceof Error ? error.message : String(error);
  const context = error instanceof SecretBoxError ? error.context : '';
  return { kind: kindOf(error), message, code: errorCodeOf(error), context };
}

export function fromRemoteError(error: RemoteError): Error {
  const made = CLASSES[error.kind](error);
  return error.code === null ? made : Object.assign(made, { code: error.code });
}

function kindOf(error: unknown): RemoteError['kind'] {
  if (error instanceof LedgerConflict) return 'conflict';
  if (error instanceof SecretBoxError) return 'secret';
  return error instanceof RangeError ? 'range' : 'other';
}
