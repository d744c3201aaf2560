import type { Principal } from '../../domain/access/principal.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';

/** The size of one generation. At most twice as many keys are cached; each takes about a kilobyte. */
const GENERATION = 25_000;

/**
 * Finds the owner of a key: looks up the hash of the secret in the store, and caches the result until the account or one of its keys
 * changes. A key in use costs one map lookup, however many keys there are.
 */
export class Principals {
  private recent = new Map<string, Principal>();
  private older = new Map<string, Principal>();
  /** Concurrent requests with the same key share one lookup. */
  private readonly asked = new Map<string, Promise<Principal | null>>();
  private changes = 0;

  constructor(
    private readonly store: Pick<DirectoryStore, 'principal'>,
    private readonly generation = GENERATION,
  ) {}

  /** Finds a principal by the SHA-256 of the secret, in lower-case hex; `null` if it is unknown. Rejects if the store is unavailable. */
  find(secretHash: string): Principal | null | Promise<Principal | null> {
    const recent = this.recent.get(secretHash);
    if (recent !== undefined) return recent;
    const older = this.older.get(secretHash);
    if (older !== undefined) return this.keep(secretHash, older);
    return this.asked.get(secretHash) ?? this.ask(secretHash);
  }

  /** Evicts the keys of these accounts because they have changed; `null` for all. */
  forget(accountIds: readonly string[] | null): void {
    this.changes++;
    this.asked.clear();
    if (accountIds === null) {
      this.recent.clear();
      this.older.clear();
      return;
    }
    const changed = new Set(accountIds);
    for (const kept of [this.recent, this.older]) {
      for (const [secretHash, { account }] of kept) if (changed.has(account.id)) kept.delete(secretHash);
    }
  }

  private ask(secretHash: string): Principal | null | Promise<Principal | null> {
    const { changes } = this;
    const answer = this.store.principal(secretHash);
    if (!(answer instanceof Promise)) return answer === null ? null : this.keep(secretHash, answer);
    const asking = answer
      .then((found) => (found === null || changes !== this.changes ? found : this.keep(secretHash, found)))
      .finally(() => {
        if (this.asked.get(secretHash) === asking) this.asked.delete(secretHash);
      });
    this.asked.set(secretHash, asking);
    return asking;
  }

  private keep(secretHash: string, principal: Principal): Principal {
    if (this.recent.size >= this.generation) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(secretHash, principal);
    return principal;
  }
}
