import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import { scaledPrice, scaledSheet } from '../../domain/money/scaled-prices.ts';
import type { Admission, RequestLimits } from '../ports/admission.ts';
import type {
  AnsweredBy,
  BillableRequest,
  Billing,
  ChargeJournal,
  Drawing,
  Extras,
  Reservation,
} from '../ports/billing.ts';
import type { LowPriority } from '../ports/low-priority.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { WholeResponse } from './lane.ts';
import { type LineRelay, NO_LIMITS } from './line-relay.ts';

/** The part of a batch that a call does: its ids, its prices, its priority, and where its outcome goes. */
export interface BatchedCall extends LowPriority, ChargeJournal {
  readonly batchId: string;
  /** The id of this request. A line that is run again has another one. */
  readonly requestId: string;
  /** How the line goes into a batch of a provider, or comes from one; `null` if neither can be. */
  readonly relay: LineRelay | null;
  /** Returns the percentage of the model's prices that the call costs. */
  pricePercent(model: Pick<Model, 'batchPricePercent'>): number;
  /** Returns the same for a call whose line goes into a batch of its provider. */
  relayPricePercent(model: Pick<Model, 'batchPricePercent'>): number;
  /** Receives the answer before it is charged. `isGuarded`: guards have yet to check it, so that nobody may read it as it is. */
  answers(answer: Pick<WholeResponse, 'body' | 'status' | 'billable'>, isGuarded: boolean): void;
  /** Receives the entry for the request log, which is written only if the line does not run again. */
  recorded(record: RequestRecord, failure: Failure | null): void;
}

/** A call waits this long for its account's limits. Then it fails, so that its key is checked anew. */
const LONGEST_ADMISSION_MS = 60_000;
/** How often limits are asked: other requests change them at any time. */
const LOOK_MS = 1_000;
const SHORTEST_LOOK_MS = 50;

/** Returns how long to wait before a limit is asked again. */
export function lookInMs(retryAfterMs: number): number {
  return Math.min(LOOK_MS, Math.max(SHORTEST_LOOK_MS, retryAfterMs));
}

/** Waits until the limits of the account and the key admit the call. */
export async function admitBatched(
  limits: RequestLimits,
  principal: Principal,
  batch: LowPriority & Partial<Pick<BatchedCall, 'relay'>>,
): Promise<Admission> {
  if (batch.relay?.given) return NO_LIMITS;
  for (let leftMs = LONGEST_ADMISSION_MS; ; ) {
    const admission = await limits.admit(principal, batch.sharePercent);
    const { refusal } = admission;
    if (refusal === null || leftMs <= 0 || batch.signal.aborted) return admission;
    const waitMs = lookInMs(refusal.details.retryAfterMs ?? 0);
    if (!(await batch.wait(waitMs))) return admission;
    leftMs -= waitMs;
  }
}

/** Returns the failure for a line whose result would be a task: it outlives the call, and so do its charge and its log entry. */
export function taskInBatch(modelId: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `The model \`${modelId}\` would answer this request with a task, and lines of batches cannot be tasks.`,
    param: 'model',
    retry: 'never',
    hint: 'Leave `async` out, use another model, or send the request without a batch.',
  });
}

/** Reserves for a call at the batch price. The surcharges of its target are scaled too. */
export function reserveBatched(
  billing: Billing,
  request: BillableRequest,
  { batch, model }: { readonly batch: BatchedCall; readonly model: Model },
): Reservation | Failure | Promise<Reservation | Failure> {
  const percent = batch.pricePercent(model);
  const scaled = batchedRequest(request, { batch, model });
  const wrapped = (reservation: Reservation | Failure) =>
    reservation instanceof Failure || percent === 100 ? reservation : new ScaledReservation(reservation, percent);
  batch.relay?.reserving(request, batch.relayPricePercent(model));
  const reserving = batch.relay?.given ? billing.promised(scaled) : billing.reserve(scaled);
  return reserving instanceof Promise ? reserving.then(wrapped) : wrapped(reserving);
}

/** Returns the request with the batch price, and with the journal that hears of its charge first. */
function batchedRequest(
  request: BillableRequest,
  { batch, model }: { readonly batch: BatchedCall; readonly model: Model },
): BillableRequest {
  return { ...request, prices: batchPrices(batch, model, request.prices), journal: batch };
}

/** Counts a call that has ended. A line that was handed over is counted by the call that gets its answer. */
export function countRequest(metrics: Metrics, batch: BatchedCall | null, record: RequestRecord): void {
  if (batch?.relay?.isTaken === true) metrics.requestHandedOver();
  else metrics.requestFinished(record);
}

/** Returns the prices of a model for a call that may belong to a batch. */
export function batchPrices(batch: BatchedCall | null, model: Model, prices: PriceSheet | null): PriceSheet | null {
  return batch === null || prices === null ? prices : scaledSheet(prices, batch.pricePercent(model));
}

/** A reservation whose extra charges are scaled like the prices of its model. */
class ScaledReservation implements Reservation {
  constructor(
    private readonly inner: Reservation,
    private readonly percent: number,
  ) {}

  get dependsOnUsage(): boolean {
    return this.inner.dependsOnUsage;
  }

  get isPriced(): boolean {
    return this.inner.isPriced;
  }

  get applied(): AppliedPrices | null {
    return this.inner.applied;
  }

  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure> {
    return this.inner.withExtras(extras === null ? null : this.scaled(extras));
  }

  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null> {
    return this.inner.settle(billable, answeredBy);
  }

  costMember(chargedNanoUsd: bigint): string {
    return this.inner.costMember(chargedNanoUsd);
  }

  release(): void {
    this.inner.release();
  }

  private scaled(extras: Extras): Extras {
    const { percent } = this;
    const sheets = (all: readonly PriceSheet[]) => all.map((sheet) => scaledSheet(sheet, percent));
    const { webSearchUsd, ownSearchUsd, drawing } = extras;
    const scaledDrawing: Drawing | null = drawing === null ? null : { ...drawing, sheets: sheets(drawing.sheets) };
    return {
      ...extras,
      others: sheets(extras.others),
      webSearchUsd: webSearchUsd === null ? null : scaledPrice(webSearchUsd, percent),
      ...(ownSearchUsd !== undefined && { ownSearchUsd: scaledPrice(ownSearchUsd, percent) }),
      drawing: scaledDrawing,
    };
  }
}
