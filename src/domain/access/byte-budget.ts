export interface ByteBounds {
  /** Of all accounts together. */
  readonly total: number;
  readonly perAccount: number;
}

/**
 * Bounds the bytes that requests hold in memory, of all accounts and of each one, so that no account can use all of the memory.
 */
export class ByteBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(readonly bounds: ByteBounds) {}

  /** Whether there was room; then the bytes count for the account until they are given back. */
  take(accountId: string, bytes: number): boolean {
    const own = this.heldBy.get(accountId) ?? 0;
    if (own + bytes > this.bounds.perAccount || this.held + bytes > this.bounds.total) return false;
    this.held += bytes;
    this.heldBy.set(accountId, own + bytes);
    return true;
  }

  /** Gives bytes back: no more than were taken. */
  give(accountId: string, bytes: number): void {
    const left = (this.heldBy.get(accountId) ?? 0) - bytes;
    this.held -= bytes;
    if (left > 0) this.heldBy.set(accountId, left);
    else this.heldBy.delete(accountId);
  }

  /** What is held now, of one account or of all. */
  heldBytes(accountId?: string): number {
    return accountId === undefined ? this.held : (this.heldBy.get(accountId) ?? 0);
  }
}
