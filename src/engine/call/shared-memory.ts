/** The largest share of the capacity that one account can use. */
const ACCOUNT_SHARE = 0.5;

interface Entry<Value> {
  readonly accountId: string;
  readonly value: Value;
  readonly size: number;
}

interface Account {
  size: number;
  /** Oldest first. */
  readonly keys: Set<string>;
}

/**
 * A bounded in-memory store of values per account; the oldest entries are evicted first. One account can use at most
 * half of the capacity, so that it cannot evict the entries of all other accounts.
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

  /** Stores the value as the youngest entry, and evicts the oldest ones if the capacity is exceeded. */
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
