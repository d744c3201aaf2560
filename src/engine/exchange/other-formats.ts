import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../shared/target.ts';

/** What an address answers that does not have the endpoint of a format, or has something else there. */
const SAYS_NO_SUCH_FORMAT: ReadonlySet<string> = new Set(['http_404', 'http_405', 'garbage', 'empty_stream']);

/** A target to try, and the one in whose place it is tried. */
export interface Candidate {
  readonly target: Target;
  readonly first: Target;
}

/**
 * A channel's other formats, for a request that the preferred one cannot carry, and for a channel with an address of its own
 * behind which not all of its provider's formats may be: a server that stands in for OpenAI may have no Responses. What
 * worked is remembered until the configuration changes.
 */
export class OtherFormats {
  private readonly working = new WeakMap<Target, Target>();

  candidate(target: Target): Candidate {
    return { target: this.working.get(target) ?? target, first: target };
  }

  /** What of the same channel is to be tried after this failure, before any other channel. */
  after({ target, first }: Candidate, failure: Failure): readonly Candidate[] {
    if (target !== first) return [];
    const isElsewhere = target.channel.baseUrl !== null && SAYS_NO_SUCH_FORMAT.has(failure.kind);
    if (failure.kind !== 'loss_refused' && !isElsewhere) return [];
    return target.alternatives.map((alternative) => ({ target: alternative, first }));
  }

  /** `failure` is why the first one did not answer. */
  answered({ target, first }: Candidate, failure: Failure | null): void {
    if (target !== first && failure !== null && SAYS_NO_SUCH_FORMAT.has(failure.kind)) this.working.set(first, target);
  }
}
