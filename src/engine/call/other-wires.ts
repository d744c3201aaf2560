import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';

/** What an address answers that does not have the endpoint of a wire, or has something else there. */
const SAYS_NO_SUCH_WIRE: ReadonlySet<string> = new Set(['http_404', 'http_405', 'garbage', 'empty_stream']);

/** A target to try, and the one in whose place it is tried. */
export interface Candidate<T extends Target = Target> {
  readonly target: T;
  readonly first: T;
}

/** Accounts for which a target has worked in another's place, before that holds for all. */
const MOST_ACCOUNTS = 100;

interface Working {
  readonly target: Target;
  /** Those that it has worked for. */
  readonly accounts: Set<string>;
}

/**
 * A channel's other wires, for a request that the preferred one cannot carry, and for a channel with an address of its own, behind
 * which not all of its provider's wires may be: a server that stands in for a provider may lack one of them. What worked is
 * remembered until the configuration changes: for the account whose request showed it, and for all accounts once a second one's
 * request has shown it, since a request can make an address look so. A wire that has answered once is there.
 */
export class OtherWires {
  private readonly working = new WeakMap<Target, Working>();
  private readonly proven = new WeakSet<Target>();

  candidate<T extends Target>(target: T, accountId: string): Candidate<T> {
    const known = this.working.get(target);
    if (known === undefined) return { target, first: target };
    const { accounts } = known;
    const isUsed = accounts.has(accountId) || accounts.size > 1 || !target.health.breaker.isShared;
    // Only alternatives of the target itself are remembered for it, and they are of its own type.
    return { target: isUsed ? (known.target as T) : target, first: target };
  }

  /** What of the same channel is to be tried after this failure, before any other channel. */
  after<T extends Target>({ target, first }: Candidate<T>, failure: Failure): readonly Candidate<T>[] {
    if (target !== first) return [];
    const mayLackIt = target.channel.baseUrl !== null || target.wire.relayOnly === true;
    const isElsewhere = mayLackIt && SAYS_NO_SUCH_WIRE.has(failure.kind);
    if (failure.kind !== 'loss_refused' && !isElsewhere) return [];
    // The type of a target's alternatives is its own.
    return (target.alternatives as readonly T[]).map((alternative) => ({ target: alternative, first }));
  }

  /** `failure` is why the first one did not answer. */
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
