import type { ArchivedCharge, Checkpoint, LedgerArchive, NewCheckpoint } from '../../../engine/ports/ledger-archive.ts';
import type { ProgramRunner } from '../program.ts';
import * as programs from './archive-programs.ts';

/** The ledger archive for both databases. */
export class SqlLedgerArchive implements LedgerArchive {
  constructor(private readonly runner: ProgramRunner) {}

  claim(holder: string, nowMs: number, untilMs: number) {
    return this.runner.write(() => programs.claimArchiving(this.runner.dialect, holder, nowMs, untilMs));
  }

  release(holder: string) {
    return this.runner.write(() => programs.releaseArchiving(this.runner.dialect, holder));
  }

  checkpoints() {
    return this.runner.read(() => programs.listCheckpoints(this.runner.dialect));
  }

  chargesAfter(sequence: number, limit: number) {
    return this.runner.read(() => programs.chargesAfter(this.runner.dialect, sequence, limit));
  }

  begin(checkpoint: NewCheckpoint) {
    return this.runner.write(() => programs.beginCheckpoint(this.runner.dialect, checkpoint));
  }

  move(checkpoint: Pick<Checkpoint, 'number' | 'beforeMs'>, charges: readonly ArchivedCharge[]) {
    return this.runner.write(() => programs.moveCharges(this.runner.dialect, checkpoint, charges));
  }

  complete(checkpoint: NewCheckpoint) {
    return this.runner.write(() => programs.completeCheckpoint(this.runner.dialect, checkpoint));
  }

  sums(number: number) {
    return this.runner.read(() => programs.sumsOfCheckpoint(this.runner.dialect, number));
  }
}
