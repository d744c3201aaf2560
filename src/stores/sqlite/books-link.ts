import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { Charge, LeasePlace } from '../../engine/ports/ledger.ts';
import { toAuditValues } from '../sql/audit.ts';
import type { SqlRow, Statement } from '../sql/program.ts';
import type { DeskParts } from './books-desk.ts';
import type { ChargeOutcome } from './ledger-writer.ts';

/** The way to what writes. */
export interface BooksLink {
  /** Of each the outcome, once they are durable. */
  charge(batch: readonly Charge[]): Promise<readonly ChargeOutcome[]>;
  /** @param isRepeatable to do it twice is to do it once, so it may be asked again if it is not known to be done */
  call(part: keyof DeskParts, method: string, args: readonly unknown[], isRepeatable?: boolean): Promise<unknown>;
  /** As the ledger's; where others have a way to the same books. */
  readonly onRecall?: (listener: (place: LeasePlace) => Promise<boolean>) => void;
}

/** The methods of one of the parts, which are run elsewhere. */
export type Remote<Part extends keyof DeskParts> = {
  readonly [Method in keyof DeskParts[Part]]: DeskParts[Part][Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** @param repeatable its methods that may be asked again (`BooksLink.call`) */
export function remote<Part extends keyof DeskParts>(
  link: BooksLink,
  part: Part,
  repeatable: readonly (keyof DeskParts[Part])[] = [],
): Remote<Part> {
  const get = (_: object, method: string) => {
    const isRepeatable = (repeatable as readonly string[]).includes(method);
    return (...args: readonly unknown[]) => link.call(part, method, args, isRepeatable);
  };
  return new Proxy({}, { get }) as Remote<Part>; // Only what the type names is asked of it.
}

/** What the steps of a transaction end with: what the caller gets, and what is added to the audit log. */
export interface LastStep<Result> {
  readonly result: Result;
  readonly audit: readonly NewAuditEntry[];
}

/** Runs the steps in one transaction of the thread that writes: durable when resolved; undone where they or the commit fail. */
export async function transact<Result>(
  link: BooksLink,
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
