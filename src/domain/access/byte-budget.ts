export interface ByteBounds {
  /** The limit for all accounts together. */
  readonly total: number;
  readonly perAccount: number;
}

/** Limits the bytes that requests hold in memory, in total and per account, so that no account can exhaust the memory. */
export class ByteBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(readonly bounds: ByteBounds) {}

  /** Reserves bytes for the account until they are given back. Returns whether there was room. */
  take(accountId: string, bytes: number): boolean {
    const own = this.heldBy.get(accountId) ?? 0;
    if (own + bytes > this.bounds.perAccount || this.held + bytes > this.bounds.total) return false;
    this.held += bytes;
    this.heldBy.set(accountId, own + bytes);
    return true;
  }

  /** Gives back reserved bytes. */
  give(accountId: string, bytes: number): void {
    const left = (this.heldBy.get(accountId) ?? 0) - bytes;
    this.held -= bytes;
    if (left > 0) this.heldBy.set(accountId, left);
    else this.heldBy.delete(accountId);
  }

  /** Returns the reserved bytes, of one account or of all. */
  heldBytes(accountId?: string): number {
    return accountId === undefined ? this.held : (this.heldBy.get(accountId) ?? 0);
  }
}
