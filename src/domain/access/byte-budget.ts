export interface ByteBounds {
  /** The limit for all accounts together. */
  readonly total: number;
  readonly perAccount: number;
}

/** Limits the bytes that requests hold in memory, in total and per account, so that no account can exhaust the memory. */
export class ByteBudget {
  private held = 0;
  private refused = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(readonly bounds: ByteBounds) {}

  /** Reserves bytes for the account until they are given back. Returns whether there was room. */
  take(accountId: string, bytes: number): boolean {
    const own = this.heldBy.get(accountId) ?? 0;
    if (own + bytes > this.bounds.perAccount || this.held + bytes > this.bounds.total) {
      this.refused++;
      return false;
    }
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

  /** The bytes held by all accounts, their limit, and how often there was no room for more. */
  get figures(): { readonly heldBytes: number; readonly limitBytes: number; readonly refusals: number } {
    return { heldBytes: this.held, limitBytes: this.bounds.total, refusals: this.refused };
  }

  /** Returns the reserved bytes, of one account or of all. */
  heldBytes(accountId?: string): number {
    return accountId === undefined ? this.held : (this.heldBy.get(accountId) ?? 0);
  }
}
