import { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { GRANTED } from '../../domain/routing/model-step.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { WholeResult } from './attempt.ts';
import type { EndingAttempt, LoopResult } from './attempt-loop.ts';
import type { ResponseStream } from './lane.ts';
import type { GivenAnswer, LineRelay } from './line-relay.ts';
import type { Asking, Job } from './operation.ts';
import type { Outcome } from './outcome.ts';

const NO_HEADERS: AnswerHeaders = { get: (name) => (name === 'content-type' ? 'application/json' : null) };

/** An attempt that has ended before its call began. */
const ENDED_ATTEMPT: EndingAttempt = { answered: nothing, failed: nothing, abandoned: nothing };

function nothing(): void {}

/** Routes the request to the model that has answered it. Resolves to a failure if the model is not served any more. */
export async function givenJob<T extends Target, S extends ResponseStream>(
  asking: Asking<T, S>,
  directory: Directory,
  { modelId }: GivenAnswer,
): Promise<Job<T, S> | Failure> {
  const own = asking.withModel?.(modelId, GRANTED) ?? asking;
  return await own.route(directory);
}

/** Reads a given answer as its target's lane would have. Resolves to a failure if it is none, or if its channel no longer serves the model. */
export async function answerGiven<T extends Target, S extends ResponseStream>(
  job: Job<T, S>,
  outcome: Outcome,
  relay: LineRelay,
  given: GivenAnswer,
): Promise<LoopResult<T, S> | Failure> {
  const target = targetOf(job, given);
  if (target === null) return gone(given);
  const routing = target.routing.withSteps(outcome.toldSteps);
  outcome.attemptBegan(target, 0);
  outcome.heard({ status: given.status, headers: NO_HEADERS });
  const failed = (failure: Failure) => {
    relay.reached();
    outcome.attemptFailed(target.secrets.cleaned(failure), 0);
    return target.secrets.cleaned(failure);
  };
  if (given.status < 200 || given.status > 299) {
    return failed(target.wire.decodeFailure(given.status, NO_HEADERS, given.bytes));
  }
  const lane = job.lane(target, routing);
  // Some lanes know how to read an answer only after they have written its request.
  const prepared = await lane.request();
  const losses = prepared instanceof Failure ? [] : prepared.losses;
  const read = await lane.answer(given.bytes, NO_HEADERS);
  if (read instanceof Failure) return failed(read);
  relay.reached();
  const answer: WholeResult = { kind: 'whole', answer: read, routing, losses };
  return { answer, running: ENDED_ATTEMPT, target, isRelayed: lane.isRelayed };
}

function targetOf<T extends Target, S extends ResponseStream>(
  job: Job<T, S>,
  { place, wire, upstreamModel }: GivenAnswer,
): T | null {
  const isIt = (one: Target) => one.place === place && one.wire.name === wire && one.upstreamModel === upstreamModel;
  // The other wires of a target are targets of the same operation.
  const all = job.ways.targets.flatMap((target) => [target, ...(target.alternatives as readonly T[])]);
  return all.find(isIt) ?? job.candidates?.(all).find(isIt) ?? null;
}

function gone({ modelId }: GivenAnswer): Failure {
  return new Failure('model_not_found', {
    message: `The channel that has answered no longer serves the model \`${modelId}\`.`,
    param: 'model',
    retry: 'never',
  });
}
