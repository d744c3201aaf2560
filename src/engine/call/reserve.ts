import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { Billing, Reservation } from '../ports/billing.ts';
import type { AnswerStream } from './lane.ts';
import type { Outcome } from './outcome.ts';
import type { Call } from './running-call.ts';

/** Reserves the most that the call may cost. Returns why the account cannot pay for it, or `null` if it can or the call is free. */
export function reserve<T extends Target, S extends AnswerStream>(
  billing: Billing,
  { job, principal, outcome }: Call<T, S>,
): null | Failure | Promise<null | Failure> {
  const { model, prices, targets } = job.ways;
  const bounds = job.bounds(model);
  if (bounds === null) return null;
  const mayUseOwn = targets.some(isOwn);
  const mayUsePlatform = targets.some(isOfPlatform);
  const { requestId, tags } = outcome;
  const of = { requestId, principal, modelId: model.id, prices, mayUsePlatform, mayUseOwn, bounds, tags: tags.summed };
  if (job.hold !== undefined) return job.hold(of);
  const reserving = billing.reserve(of);
  return reserving instanceof Promise ? reservedLater(outcome, reserving) : outcome.reserved(reserving);
}

async function reservedLater(outcome: Outcome, reserving: Promise<Reservation | Failure>): Promise<null | Failure> {
  return outcome.reserved(await reserving);
}

function isOwn({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return isPrivate;
}

export function isOfPlatform({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return !isPrivate;
}
