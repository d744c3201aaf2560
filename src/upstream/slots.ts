export interface SlotBounds {
  /** How many run at once, and of one account. */
  readonly running: number;
  readonly runningPerAccount: number;
  /** How many wait for their turn, and of one account. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
}

interface Account {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * A bound on how much runs at once, and on how much waits for its turn. One account has a share of both, and waiting accounts
 * take turns, so that slow work of one account does not block the others. Within an account the order is first come, first
 * served.
 */
export class Slots {
  private running = 0;
  private waiting = 0;
  /** Those that run or wait; the one that had a turn last stands at the end. */
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly bounds: SlotBounds) {}

  /**
   * Resolves to what gives the slot back (to be called once), or to `null` at once where too many wait already. Rejects
   * with the signal's reason where that fires first.
   */
  acquire(accountId: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const account = this.accounts.get(accountId) ?? { running: 0, waiting: new Set() };
    if (this.hasTurn(account)) return Promise.resolve(this.enter(accountId, account));
    const { waiting, waitingPerAccount } = this.bounds;
    if (this.waiting >= waiting || account.waiting.size >= waitingPerAccount) return Promise.resolve(null);
    this.accounts.set(accountId, account);
    return this.wait(accountId, account, signal);
  }

  private wait(accountId: string, account: Account, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        account.waiting.delete(enter);
        this.waiting--;
        signal.removeEventListener('abort', leave);
      };
      const leave = () => {
        stopWaiting();
        this.forget(accountId, account);
        reject(signal.reason);
      };
      const enter = () => {
        stopWaiting();
        resolve(this.enter(accountId, account));
      };
      signal.addEventListener('abort', leave, { once: true });
      account.waiting.add(enter);
      this.waiting++;
    });
  }

  private hasTurn({ running }: Account): boolean {
    return this.running < this.bounds.running && running < this.bounds.runningPerAccount;
  }

  private enter(accountId: string, account: Account): () => void {
    this.running++;
    account.running++;
    this.accounts.delete(accountId);
    this.accounts.set(accountId, account);
    return () => {
      this.running--;
      account.running--;
      this.forget(accountId, account);
      this.next();
    };
  }

  private next(): void {
    for (const account of this.accounts.values()) {
      const [enter] = account.waiting;
      if (enter === undefined || !this.hasTurn(account)) continue;
      enter();
      return;
    }
  }

  private forget(accountId: string, account: Account): void {
    if (account.running === 0 && account.waiting.size === 0) this.accounts.delete(accountId);
  }
}
