import { ByteBudget } from '../../domain/access/byte-budget.ts';
import type { Failure } from '../../domain/failure/failure.ts';

/** The memory for the bodies of all requests, of which lines take a part. */
export interface BodyMemory {
  /** The bytes of bodies that fit, for all accounts and for one. */
  readonly bodyBytes: { readonly total: number; readonly perAccount: number };
  take(accountId: string, bytes: number): Failure | null;
  giveBack(accountId: string, bytes: number): void;
}

/** Bounds the memory of lines to a share of that for all bodies, so that ordinary requests have the rest. */
export class LineBodies {
  private readonly lines: ByteBudget;

  constructor(
    private readonly memory: BodyMemory,
    sharePercent: number,
  ) {
    const { total, perAccount } = memory.bodyBytes;
    const shareOf = (bytes: number) => (bytes * sharePercent) / 100;
    this.lines = new ByteBudget({ total: shareOf(total), perAccount: shareOf(perAccount) });
  }

  /** Reserves memory for a line; returns whether there was room. A line larger than the share is let in when no other one is. */
  take(accountId: string, bytes: number): boolean {
    const { bounds } = this.lines;
    const counted = Math.min(bytes, bounds.perAccount, bounds.total);
    if (!this.lines.take(accountId, counted)) return false;
    if (this.memory.take(accountId, bytes) === null) return true;
    this.lines.give(accountId, counted);
    return false;
  }

  giveBack(accountId: string, bytes: number): void {
    const { bounds } = this.lines;
    this.lines.give(accountId, Math.min(bytes, bounds.perAccount, bounds.total));
    this.memory.giveBack(accountId, bytes);
  }
}
