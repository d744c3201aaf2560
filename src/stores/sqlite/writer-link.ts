import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { Charge, LeasePlace } from '../../engine/ports/ledger.ts';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { toAuditValues } from '../sql/audit.ts';
import type { SqlRow, Statement } from '../sql/program.ts';
import type { WriterParts } from './writer.ts';

/** The connection to the writer thread or process. */
export interface WriterLink {
  /** The calls that are not answered yet. */
  readonly waiting: number;
  /** Resolves to one outcome per charge when the charges are durable. */
  charge(batch: readonly Charge[]): Promise<readonly ChargeOutcome[]>;
  /** @param isRepeatable whether the call is idempotent, so that it may be repeated if its outcome is unknown */
  call(part: keyof WriterParts, method: string, args: readonly unknown[], isRepeatable?: boolean): Promise<unknown>;
  /** See `Ledger.onRecall`; set if other processes share the books. */
  readonly onRecall?: (listener: (place: LeasePlace) => Promise<boolean>) => void;
}

/** The methods of a part that runs elsewhere. */
export type Remote<Part extends keyof WriterParts> = {
  readonly [Method in keyof WriterParts[Part]]: WriterParts[Part][Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** @param repeatable the part's idempotent methods (`WriterLink.call`) */
export function remote<Part extends keyof WriterParts>(
  link: WriterLink,
  part: Part,
  repeatable: readonly (keyof WriterParts[Part])[] = [],
): Remote<Part> {
  const get = (_: object, method: string) => {
    const isRepeatable = (repeatable as readonly string[]).includes(method);
    return (...args: readonly unknown[]) => link.call(part, method, args, isRepeatable);
  };
  return new Proxy({}, { get }) as Remote<Part>; // Callers can only use the methods of the type.
}

/** The result of a transaction's steps and the entries to append to the audit log. */
export interface LastStep<Result> {
  readonly result: Result;
  readonly audit: readonly NewAuditEntry[];
}

/** Runs the steps in one transaction of the writer thread. Durable when resolved; rolled back if a step or the commit fails. */
export async function transact<Result>(
  link: WriterLink,
  steps: (ask: (statement: Statement) => Promise<readonly SqlRow[]>) => Promise<LastStep<Result>>,
): Promise<Result> {
  const transactions = remote(link, 'transactions');
  const id = await transactions.begin();
  try {
    const { result, audit } = await steps((statement) => transactions.ask(id, statement));
    await transactions.commit(id, audit.map(toAuditValues));
    return result;
  } catch (error) {
    await transactions.undo(id).catch(() => {});
    throw error;
  }
}
