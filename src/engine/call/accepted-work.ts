import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { AttemptEvents, LoopResult } from './attempt-loop.ts';
import type { ResponseStream } from './lane.ts';
import type { NoResponse } from './no-channel.ts';
import type { Job, KnownResponse } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** The means that the call supplies for work that continues after its response. */
export interface AcceptedMeans<T extends Target, S extends ResponseStream> {
  readonly job: Pick<Job<T, S>, 'ended'>;
  readonly accepted: () => KnownResponse<T, S>;
  readonly outcome: Outcome;
  readonly attempts: (events: AttemptEvents) => Promise<LoopResult<T, S> | NoResponse>;
  /** Returns the failure for the client when no target has answered. */
  readonly failureOf: (noResponse: NoResponse) => Failure;
  /** Reports an error of the gateway itself, and returns the failure for it. */
  readonly broken: (error: unknown) => Failure;
  /** Called when the background work has ended. */
  readonly onOver: () => void;
}

/**
 * Runs the attempts of work whose client does not wait for it. Resolves to the client's response as soon as the first target is asked; a
 * request that no lane can carry is still refused before that. If no target can be asked, resolves to the result of the attempts.
 */
export async function acceptedWork<T extends Target, S extends ResponseStream>(
  means: AcceptedMeans<T, S>,
): Promise<KnownResponse<T, S> | LoopResult<T, S> | NoResponse> {
  const { job, outcome, attempts, failureOf, broken } = means;
  const asked = Promise.withResolvers<null>();
  const working = attempts(eventsOf(outcome, () => asked.resolve(null)));
  const refused = await Promise.race([asked.promise, working]);
  if (refused !== null) return refused;
  const ending = working
    .then(
      (attempted) => {
        if (!('running' in attempted)) return failureOf(attempted);
        attempted.running.answered();
        return null;
      },
      (error: unknown) => broken(error),
    )
    .then((failure) => job.ended?.(failure))
    .catch((error: unknown) => void broken(error))
    .finally(means.onOver);
  outcome.goesOnUntil(ending);
  return means.accepted();
}

/** Attempts after the client's response are logged, but they are missing from the call's record, which has been written by then. */
function eventsOf(outcome: Outcome, onAsked: () => void): AttemptEvents {
  return {
    attemptBegan(target, retryCount, permit) {
      outcome.attemptBegan(target, retryCount, permit);
      onAsked();
    },
    waited: (ms) => outcome.waited(ms),
    heard: (answer) => outcome.heard(answer),
    attemptFailed: (failure, latencyMs) => outcome.attemptFailed(failure, latencyMs),
    withExtras: (extras) => outcome.withExtras(extras),
    idsFor: (place, retryCount) => outcome.idsFor(place, retryCount),
    trace: outcome.trace,
  };
}
