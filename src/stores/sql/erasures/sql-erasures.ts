import type { Erasure, ErasureStore, NewErasure, PersonalRows } from '../../../engine/ports/erasure-store.ts';
import type { Audit } from '../../../engine/ports/people-store.ts';
import type { ProgramRunner } from '../program.ts';
import * as programs from './erasure-programs.ts';

/** The erasure store for both databases. */
export class SqlErasures implements ErasureStore {
  constructor(private readonly runner: ProgramRunner) {}

  find(named: string) {
    return this.runner.read(() => programs.findErasure(this.runner.dialect, named));
  }

  open() {
    return this.runner.read(() => programs.openErasures(this.runner.dialect));
  }

  check(wanted: NewErasure) {
    return this.runner.read(() => programs.checkErasure(this.runner.dialect, wanted));
  }

  begin(wanted: NewErasure) {
    return this.runner.write(() => programs.beginErasure(this.runner.dialect, wanted));
  }

  advance(userId: string, auditedUntil: number, rewritten: number) {
    return this.runner.write(() => programs.advanceErasure(this.runner.dialect, userId, auditedUntil, rewritten));
  }

  count(erasure: Pick<Erasure, 'userId' | 'email'>, attemptKeys: readonly string[]) {
    return this.runner.read(() => programs.countRows(this.runner.dialect, { ...erasure, attemptKeys }));
  }

  remove(
    { userId, email, pseudonym }: Pick<Erasure, 'userId' | 'email' | 'pseudonym'>,
    attemptKeys: readonly string[],
    audit: Audit<PersonalRows | null>,
  ) {
    const person = { userId, email, attemptKeys };
    return this.runner.write(() => programs.removePerson(this.runner.dialect, person, pseudonym), audit);
  }

  end(userId: string) {
    return this.runner.write(() => programs.endErasure(this.runner.dialect, userId));
  }
}
