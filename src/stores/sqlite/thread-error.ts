import { LedgerConflict } from '../../engine/ports/ledger.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { SecretBoxError } from '../shared/secret-box.ts';

/** An error as it goes from one thread to another, where its class and its code would be lost. */
export interface ThreadError {
  readonly kind: keyof typeof CLASSES;
  readonly message: string;
  readonly code: string | null;
  /** Of what could not be opened. */
  readonly context: string;
}

/** Those that callers tell apart. */
const CLASSES = {
  conflict: ({ message }: ThreadError) => new LedgerConflict(message),
  range: ({ message }: ThreadError) => new RangeError(message),
  secret: ({ context, message }: ThreadError) => new SecretBoxError(context, message),
  other: ({ message }: ThreadError) => new Error(message),
} as const;

export function toThreadError(error: unknown): ThreadError {
  const message = error instanceof Error ? error.message : String(error);
  const context = error instanceof SecretBoxError ? error.context : '';
  return { kind: kindOf(error), message, code: errorCodeOf(error), context };
}

export function fromThreadError(error: ThreadError): Error {
  const made = CLASSES[error.kind](error);
  return error.code === null ? made : Object.assign(made, { code: error.code });
}

function kindOf(error: unknown): ThreadError['kind'] {
  if (error instanceof LedgerConflict) return 'conflict';
  if (error instanceof SecretBoxError) return 'secret';
  return error instanceof RangeError ? 'range' : 'other';
}
