import type { QueueFigures } from '../engine/ports/figures.ts';

export interface SlotBounds {
  /** The limits of concurrent work, in total and per account. */
  readonly running: number;
  readonly runningPerAccount: number;
  /** The limits of waiting work, in total and per account. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
}

interface Account {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Bounds concurrent and waiting work. An account has a share of both, and waiting accounts take turns, so that one account's slow work does
 * not block the others. Within an account the order is first come, first served.
 */
export class Slots {
  private running = 0;
  private waiting = 0;
  private refused = 0;
  /** The accounts with running or waiting work; the one that had a turn last is at the end. */
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly bounds: SlotBounds) {}

  /** The work that waits. Dropped work was refused because the queue, or the account's share, was full. */
  get figures(): QueueFigures {
    const { waiting, refused: dropped } = this;
    return { waiting, capacity: this.bounds.waiting, lateMs: null, dropped, failedWrites: 0 };
  }

  /**
   * Resolves to a function that releases the slot (to be called once), or to `null` at once if the queue is full. Rejects with the signal's
   * reason if that fires first.
   */
  acquire(accountId: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const account = this.accounts.get(accountId) ?? { running: 0, waiting: new Set() };
    if (this.hasTurn(account)) return Promise.resolve(this.enter(accountId, account));
    const { waiting, waitingPerAccount } = this.bounds;
    if (this.waiting >= waiting || account.waiting.size >= waitingPerAccount) {
      this.refused++;
      return Promise.resolve(null);
    }
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
