import { LedgerConflict } from '../../engine/ports/ledger.ts';
import { errorCodeOf } from '../shared/error-code.ts';

/** An error as it goes from one thread to another, where its class and its code would be lost. */
export interface ThreadError {
  readonly kind: keyof typeof CLASSES;
  readonly message: string;
  readonly code: string | null;
}

/** Those that callers tell apart. */
const CLASSES = { conflict: LedgerConflict, range: RangeError, other: Error } as const;

export function toThreadError(error: unknown): ThreadError {
  const kind = error instanceof LedgerConflict ? 'conflict' : error instanceof RangeError ? 'range' : 'other';
  return { kind, message: error instanceof Error ? error.message : String(error), code: errorCodeOf(error) };
}

export function fromThreadError({ kind, message, code }: ThreadError): Error {
  const error = new CLASSES[kind](message);
  return code === null ? error : Object.assign(error, { code });
}
