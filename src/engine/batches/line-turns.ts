import type { WaitingLine } from '../../domain/batches/batch.ts';
import type { OpenBatch } from './open-batch.ts';

/** The open batches of one account. */
interface AccountTurn {
  /** The lines that run or wait for limits, of all its batches. */
  running: number;
  batches: number;
  /** The batches that may have a line to begin. */
  readonly ready: OpenBatch[];
  /** Whether the account is in the circle. */
  isIn: boolean;
}

export interface NextLine {
  readonly one: OpenBatch;
  readonly line: WaitingLine;
}

/**
 * Finds the next line, accounts in turn. Batches and accounts without a line to begin are left out until they are woken, so that a line
 * costs the same however many batches are open.
 */
export class LineTurns {
  private readonly accounts = new Map<string, AccountTurn>();
  /** The accounts that may have a line to begin; the first one is next. */
  private readonly circle: AccountTurn[] = [];

  /** @param mostOfAccount the most lines of an account that run at once */
  constructor(private readonly mostOfAccount: number) {}

  add(one: OpenBatch): void {
    this.turnOf(one).batches++;
    this.wake(one);
  }

  remove(one: OpenBatch): void {
    const account = this.turnOf(one);
    account.batches--;
    const place = account.ready.indexOf(one);
    if (place >= 0) account.ready.splice(place, 1);
    this.forget(one.batch.accountId, account);
  }

  /** Looks at the batch again, because it may have lines to begin. */
  wake(one: OpenBatch): void {
    const account = this.turnOf(one);
    if (!one.isReady) {
      one.isReady = true;
      account.ready.push(one);
    }
    this.join(account);
  }

  /** Notes that the line which `next` has returned has ended. */
  ended(one: OpenBatch): void {
    const account = this.turnOf(one);
    account.running--;
    one.running--;
    if (account.ready.length > 0) this.join(account);
    this.forget(one.batch.accountId, account);
  }

  /**
   * Returns the next line, and counts it as running; `null` if no account may begin one.
   *
   * @param reading called with the promise of a batch that reads its next lines
   */
  next(nowMs: number, reading: (one: OpenBatch, read: Promise<void>) => void): NextLine | null {
    for (let account = this.circle.shift(); account !== undefined; account = this.circle.shift()) {
      account.isIn = false;
      if (account.running >= this.mostOfAccount) continue;
      const found = nextOf(account, nowMs, reading);
      if (found === null) continue;
      account.running++;
      found.one.running++;
      this.join(account);
      return found;
    }
    return null;
  }

  private join(account: AccountTurn): void {
    if (account.isIn) return;
    account.isIn = true;
    this.circle.push(account);
  }

  private turnOf({ batch: { accountId } }: OpenBatch): AccountTurn {
    let account = this.accounts.get(accountId);
    if (account === undefined) {
      account = { running: 0, batches: 0, ready: [], isIn: false };
      this.accounts.set(accountId, account);
    }
    return account;
  }

  private forget(accountId: string, { batches, running }: AccountTurn): void {
    if (batches === 0 && running === 0) this.accounts.delete(accountId);
  }
}

function nextOf(
  { ready }: AccountTurn,
  nowMs: number,
  reading: (one: OpenBatch, read: Promise<void>) => void,
): NextLine | null {
  for (let one = ready[0]; one !== undefined; one = ready[0]) {
    const line = one.next(nowMs);
    if (line !== null) return { one, line };
    ready.shift();
    one.isReady = false;
    const read = one.read(nowMs);
    if (read !== null) reading(one, read);
  }
  return null;
}
