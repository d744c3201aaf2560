import {
  ACCOUNT_ROWS,
  type AccountErasureStore,
  type AccountRowCounts,
  type AccountRowKind,
  type NewAccountErasure,
  type RemovedRows,
  type TagPlace,
} from '../../../engine/ports/account-erasure-store.ts';
import type { Audit } from '../../../engine/ports/people-store.ts';
import type { ProgramRunner } from '../program.ts';
import * as programs from './account-programs.ts';
import { removeTag } from './tag-programs.ts';

/** Removes data of one kind that is not stored in a table. With `null` as the pseudonym, only counts it. */
export type RemoveApart = (accountId: string, pseudonym: string | null) => number;

/** The account erasure store for both databases. */
export class SqlAccountErasures implements AccountErasureStore {
  constructor(
    private readonly runner: ProgramRunner,
    private readonly apart: Partial<Readonly<Record<AccountRowKind, RemoveApart>>> = {},
  ) {}

  find(accountId: string) {
    return this.runner.read(() => programs.findAccountErasure(this.runner.dialect, accountId));
  }

  open() {
    return this.runner.read(() => programs.openAccountErasures(this.runner.dialect));
  }

  begin(wanted: NewAccountErasure) {
    return this.runner.write(() => programs.beginAccountErasure(this.runner.dialect, wanted));
  }

  async count(accountId: string): Promise<AccountRowCounts & { readonly captures: number }> {
    const counts: [AccountRowKind, number][] = [];
    for (const kind of ACCOUNT_ROWS) {
      const { dialect } = this.runner;
      const apart = this.apart[kind];
      const count =
        apart?.(accountId, null) ?? (await this.runner.read(() => programs.countAccountRows(dialect, kind, accountId)));
      counts.push([kind, count]);
    }
    const captures = await this.runner.read(() => programs.countCaptures(this.runner.dialect, accountId));
    return { ...(Object.fromEntries(counts) as AccountRowCounts), captures }; // Has each kind once.
  }

  async remove(kind: AccountRowKind, erasure: NewAccountErasure, from: number): Promise<RemovedRows> {
    const apart = this.apart[kind];
    if (apart !== undefined) return { removed: apart(erasure.accountId, erasure.pseudonym), next: null };
    return this.runner.write(() => programs.removeAccountRows(this.runner.dialect, kind, erasure, from));
  }

  removeTag(of: { readonly accountId: string; readonly tag: string }, place: TagPlace, from: number) {
    return this.runner.write(() => removeTag(this.runner.dialect, of, place, from));
  }

  advance(accountId: string, auditedUntil: number, rewritten: number) {
    return this.runner.write(() =>
      programs.advanceAccountErasure(this.runner.dialect, accountId, auditedUntil, rewritten),
    );
  }

  end(accountId: string, audit: Audit<boolean>) {
    return this.runner.write(() => programs.endAccountErasure(this.runner.dialect, accountId), audit);
  }
}
