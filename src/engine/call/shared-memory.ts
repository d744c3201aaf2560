/** One account's part of the whole. */
const ACCOUNT_SHARE = 0.5;

interface Entry<Value> {
  readonly accountId: string;
  readonly value: Value;
  readonly size: number;
}

interface Account {
  size: number;
  /** The oldest first. */
  readonly keys: Set<string>;
}

/**
 * Remembers things of accounts up to a size; the oldest go first. One account has at most half of it, so that it cannot make the
 * gateway forget what it knows of all others.
 */
export class SharedMemory<Value> {
  private size = 0;
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly capacity: number) {}

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get(accountId: string, key: string): Value | undefined {
    return this.entries.get(fullKey(accountId, key))?.value;
  }

  /** Makes it the youngest. */
  set(accountId: string, key: string, value: Value, size = 1): void {
    const full = fullKey(accountId, key);
    this.forget(full);
    const account = this.accounts.get(accountId) ?? { size: 0, keys: new Set() };
    this.accounts.set(accountId, account);
    this.entries.set(full, { accountId, value, size });
    account.keys.add(full);
    account.size += size;
    this.size += size;
    this.makeRoom(account.keys, () => account.size > this.capacity * ACCOUNT_SHARE);
    this.makeRoom(this.entries.keys(), () => this.size > this.capacity);
  }

  delete(accountId: string, key: string): void {
    this.forget(fullKey(accountId, key));
  }

  private makeRoom(oldest: Iterable<string>, isFull: () => boolean): void {
    if (!isFull()) return;
    for (const key of oldest) {
      this.forget(key);
      if (!isFull()) return;
    }
  }

  private forget(full: string): void {
    const entry = this.entries.get(full);
    if (entry === undefined) return;
    this.entries.delete(full);
    this.size -= entry.size;
    const account = this.accounts.get(entry.accountId);
    if (account === undefined) return;
    account.keys.delete(full);
    account.size -= entry.size;
    if (account.keys.size === 0) this.accounts.delete(entry.accountId);
  }
}

function fullKey(accountId: string, key: string): string {
  return `${accountId}\n${key}`;
}
