import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { Billing, Reservation } from '../ports/billing.ts';
import { reserveBatched, taskInBatch } from './batched-call.ts';
import type { ResponseStream } from './lane.ts';
import type { Outcome } from './outcome.ts';
import type { Call } from './responder.ts';

/** Reserves the most that the call may cost. Returns why the account cannot pay for it, or `null` if it can or the call is free. */
export function reserve<T extends Target, S extends ResponseStream>(
  billing: Billing,
  { job, principal, outcome }: Call<T, S>,
): null | Failure | Promise<null | Failure> {
  const { model, prices, targets } = job.ways;
  const bounds = job.bounds(model);
  if (bounds === null) return null;
  const mayUseOwn = targets.some(isOwn);
  const mayUsePlatform = targets.some(isOfPlatform);
  const { requestId, tags, batch } = outcome;
  const of = { requestId, principal, modelId: model.id, prices, mayUsePlatform, mayUseOwn, bounds, tags: tags.summed };
  outcome.trace?.mark();
  if (job.hold !== undefined) return batch === null ? held(outcome, job.hold(of)) : taskInBatch(model.id);
  const reserving = batch === null ? billing.reserve(of) : reserveBatched(billing, of, { batch, model });
  return reserving instanceof Promise ? reservedLater(outcome, reserving) : reserved(outcome, reserving);
}

async function reservedLater(outcome: Outcome, reserving: Promise<Reservation | Failure>): Promise<null | Failure> {
  return reserved(outcome, await reserving);
}

function reserved(outcome: Outcome, reservation: Reservation | Failure): null | Failure {
  outcome.trace?.passed('reserve', reservation);
  return outcome.reserved(reservation);
}

async function held(outcome: Outcome, holding: Promise<Failure | null>): Promise<null | Failure> {
  const refusal = await holding;
  outcome.trace?.passed('reserve', refusal);
  return refusal;
}

export function isOwn({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return isPrivate;
}

export function isOfPlatform({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return !isPrivate;
}
