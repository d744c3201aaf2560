import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';

/** The failure kinds of an address that does not have the endpoint of a wire, or has something else there. */
const SAYS_NO_SUCH_WIRE: ReadonlySet<string> = new Set(['http_404', 'http_405', 'garbage', 'empty_stream']);

/** A target to try, and the preferred one (`first`) that it replaces. Both are the same initially. */
export interface Candidate<T extends Target = Target> {
  readonly target: T;
  readonly first: T;
}

/** The most accounts that are remembered for one replacement. */
const MOST_ACCOUNTS = 100;

interface Working {
  readonly target: Target;
  /** The accounts whose requests showed that it works. */
  readonly accounts: Set<string>;
}

/**
 * Chooses among the wires of one channel. Another than the preferred wire is tried for a request that the preferred wire cannot carry, and
 * for a channel with a custom base URL, whose server may lack some of the provider's wires. A replacement that worked is remembered until
 * the configuration changes: first for the account whose request showed it, and for all accounts once a second account's request has shown
 * it, because one account's unusual request can make a wire look absent. A wire that has answered once is present, and is never replaced
 * for that reason.
 */
export class OtherWires {
  private readonly working = new WeakMap<Target, Working>();
  private readonly proven = new WeakSet<Target>();

  candidate<T extends Target>(target: T, accountId: string): Candidate<T> {
    const known = this.working.get(target);
    if (known === undefined) return { target, first: target };
    const { accounts } = known;
    const isUsed = accounts.has(accountId) || accounts.size > 1 || !target.health.breaker.isShared;
    // Only alternatives of the target itself are remembered for it, and they have the same type as the target.
    return { target: isUsed ? (known.target as T) : target, first: target };
  }

  /** Returns the targets of the same channel to try after this failure, before any other channel. */
  after<T extends Target>({ target, first }: Candidate<T>, failure: Failure): readonly Candidate<T>[] {
    if (target !== first) return [];
    const mayLackIt = target.channel.baseUrl !== null || target.wire.relayOnly === true;
    const isElsewhere = mayLackIt && SAYS_NO_SUCH_WIRE.has(failure.kind);
    if (failure.kind !== 'loss_refused' && !isElsewhere) return [];
    // A target's alternatives have the same type as the target.
    return (target.alternatives as readonly T[]).map((alternative) => ({ target: alternative, first }));
  }

  /** Remembers which wire has answered. `failure` is why the preferred one did not, or `null`. */
  answered({ target, first }: Candidate, failure: Failure | null, accountId: string): void {
    if (target === first) {
      if (first.alternatives.length > 0) this.proven.add(first);
      return;
    }
    if (failure === null || !SAYS_NO_SUCH_WIRE.has(failure.kind) || this.proven.has(first)) return;
    const known = this.working.get(first);
    if (known?.target !== target) this.working.set(first, { target, accounts: new Set([accountId]) });
    else if (known.accounts.size < MOST_ACCOUNTS) known.accounts.add(accountId);
  }
}
