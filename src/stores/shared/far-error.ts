import { LedgerConflict } from '../../engine/ports/ledger.ts';
import { errorCodeOf } from './error-code.ts';
import { SecretBoxError } from './secret-box.ts';

/** An error in transferable form. Its class and code would be lost between threads or processes. */
export interface FarError {
  readonly kind: keyof typeof CLASSES;
  readonly message: string;
  readonly code: string | null;
  /** The context of a `SecretBoxError`. */
  readonly context: string;
}

/** The error classes that callers distinguish. */
const CLASSES = {
  conflict: ({ message }: FarError) => new LedgerConflict(message),
  range: ({ message }: FarError) => new RangeError(message),
  secret: ({ context, message }: FarError) => new SecretBoxError(context, message),
  other: ({ message }: FarError) => new Error(message),
} as const;

export function toFarError(error: unknown): FarError {
  const message = error instanceof Error ? error.message : String(error);
  const context = error instanceof SecretBoxError ? error.context : '';
  return { kind: kindOf(error), message, code: errorCodeOf(error), context };
}

export function fromFarError(error: FarError): Error {
  const made = CLASSES[error.kind](error);
  return error.code === null ? made : Object.assign(made, { code: error.code });
}

function kindOf(error: unknown): FarError['kind'] {
  if (error instanceof LedgerConflict) return 'conflict';
  if (error instanceof SecretBoxError) return 'secret';
  return error instanceof RangeError ? 'range' : 'other';
}
