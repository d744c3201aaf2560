import type { Principal } from '../../domain/access/principal.ts';
import type { CacheHit } from '../../domain/cache/cache.ts';
import { NOWHERE } from '../../domain/concurrency/bag.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts, ToldSteps } from '../../domain/exchange/routing-info.ts';
import { otherModel, type ServedAs } from '../../domain/exchange/served-as.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import { type Billable, NOTHING_BILLABLE } from '../../domain/money/quantity.ts';
import type { ModelStep } from '../../domain/routing/model-step.ts';
import { type CallIdentity, ownPositionIn } from '../../domain/trace/call-identity.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import { NO_TAGS } from '../../domain/usage/request-tags.ts';
import type { Writable } from '../../domain/writable.ts';
import { LACKS_ABILITY } from '../../formats/shared/failure/refusal.ts';
import type { Caller } from '../access/caller.ts';
import type { CallCapture } from '../captures/call-capture.ts';
import type { TargetPermit } from '../channel-limits/target-permit.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { CallGuard } from '../guards/call-guard.ts';
import type { Admission } from '../ports/admission.ts';
import type { Extras, Reservation } from '../ports/billing.ts';
import type { FailedAttempt, RequestRecord } from '../ports/request-log.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';
import { answeredBy } from './answered-by.ts';
import { type BatchedCall, countRequest } from './batched-call.ts';
import { CallTimes } from './call-times.ts';
import { CallTrace } from './call-trace.ts';
import type { RunningCall, WatchedCall } from './calls-in-progress.ts';
import { attemptIds, type IdsPlace } from './forwarded-ids.ts';
import { countSpending } from './key-cost.ts';
import { logFailedAttempt, logRequest } from './log-lines.ts';
import { addIds, addUpstream, addVerdicts } from './record-members.ts';
import type { RecordPorts } from './record-ports.ts';
import { savedByCache } from './saved-by-cache.ts';
import { TaggedCall } from './tagged-call.ts';
import { failedAttemptOf, loggedModel, toldFailure } from './told-failure.ts';
import { NO_STEPS, toldSteps } from './told-steps.ts';
import { upstreamRequestIdOf } from './upstream-request-id.ts';

/**
 * Collects the facts of one call from its events and records them once, when the call ends. It owns the call's resources until then: the
 * reservation, the admission and the memory.
 */
export class Outcome extends TaggedCall implements WatchedCall {
  /** Managed by the list of calls in progress. */
  place = NOWHERE;
  /** When the call arrived, in milliseconds since 1970. */
  readonly atMs: number;
  /** The capture of the call; `null` if its account has captures switched off. */
  capture: CallCapture | null = null;
  /** The guards of the call; `null` if none can apply. */
  guard: CallGuard | null = null;
  /** Notes what only the trace of the call says; `null` if calls are not traced. */
  trace: CallTrace | null = null;
  /** The result of the limits check; `null` if the limits were not checked. */
  admission: Admission | null = null;
  /** The cache entry of the answer; `null` if it did not come from the cache. */
  cacheHit: CacheHit | null = null;
  /** The changes of the model, in their order. */
  modelSteps: readonly ModelStep[] = NO_STEPS;
  /** Resolves when the call has released everything; `null` if it does so when it is recorded. */
  stillHolds: Promise<void> | null = null;
  /** Whether other code ends the work of the call and writes the request log. */
  isContinued = false;
  /** Whether the client wants the cost in `usage` too, as OpenRouter's clients do. */
  wantsUsageCost = false;
  /** The line of a batch that the call runs; `null` for other calls. */
  batch: BatchedCall | null = null;
  /** The gateway's own id of the request. */
  readonly requestId: string;
  /** The first line of the HTTP request, and the address of the client; `null` if unknown. */
  line: RequestLine | null = null;
  clientAddress: string | null = null;
  private readonly startedMs: number;
  private principal: Principal | null = null;
  private modelId: string | null = null;
  private requestedModel: string | null = null;
  private stream = false;
  private mayUsePlatform = true;
  private reservation: Reservation | null = null;
  /** The settled reservation, which knows the applied prices. */
  settled: Reservation | null = null;
  private readonly times = new CallTimes();
  private asked: AskedTarget | null = null;
  private permit: TargetPermit | null = null;
  private retries = 0;
  private readonly failedAttempts: FailedAttempt[] = [];
  private upstreamRequestId: string | null = null;
  private served: ServedAs | null = null;
  private hitPrices: PriceSheet | null = null;
  private losses: readonly Loss[] = [];
  private billable: Billable | null = null;
  /** The amount charged; zero before the charge, `null` if the cost is unknown. */
  costNanoUsd: bigint | null = 0n;
  private status = 0;
  private failure: Failure | null = null;
  private clientGone = false;
  private firstByteMs: number | null = null;
  private latencyMs: number | null = null;
  private recorded = false;
  private releases: (() => void)[] = [];

  constructor(
    protected readonly ports: RecordPorts,
    readonly identity: CallIdentity,
    /** The name of the client's format in the log. */
    private readonly format: string,
    /** Called once, after the call is recorded. */
    private readonly onRecorded: () => void = () => undefined,
  ) {
    super();
    this.requestId = identity.requestId;
    this.atMs = ports.clock.nowMs();
    this.startedMs = ports.clock.monotonicMs();
    ports.metrics.requestStarted();
    ports.progress?.began(this);
  }

  // ---- the caller and its request

  /** Notes the caller, whose address is unknown once the response is sent, and begins the trace of the call, if calls are traced. */
  comesFrom(caller: Pick<Caller, 'line' | 'address' | 'session'>): void {
    this.line = caller.line?.() ?? null;
    this.clientAddress = caller.address();
    const { tracing } = this.ports;
    if (!tracing) return;
    const { identity } = this;
    this.trace = new CallTrace(tracing, tracing.begin(identity), identity.clientTrace, caller, () => this.elapsedMs());
  }

  admittedAs(principal: Principal): void {
    this.principal = principal;
  }

  limitedBy(admission: Admission): void {
    this.admission = admission;
    this.times.admittedMs = this.elapsedMs();
    this.trace?.mark();
  }

  protected get accountId(): string {
    return this.principal?.account.id ?? '';
  }

  asks({ stream }: { readonly stream: boolean }): void {
    this.stream = stream;
  }

  /** Sets the model as the client wrote it, whether or not it exists; `null` if the request names none. */
  wants(model: string | null): void {
    this.requestedModel = model;
  }

  /** Sets the public id of the model that was found. */
  names(modelId: string | null): void {
    this.modelId = modelId;
  }

  /** Records that another model is asked from now on. */
  stepped(step: ModelStep): void {
    this.modelSteps = [...this.modelSteps, step];
  }

  /** The changes of the model, for `_routing`; `null` for none. */
  get toldSteps(): ToldSteps | null {
    return toldSteps(this.requestedModel, this.modelSteps);
  }

  /** Records whether a channel shared by all accounts could answer. The record uses it only if no channel is asked. */
  mayUse({ platform }: { readonly platform: boolean }): void {
    this.mayUsePlatform = platform;
  }

  /** Takes over the reservation, or returns the failure if it was refused. */
  reserved(reservation: Reservation | Failure): Failure | null {
    if (reservation instanceof Failure) return reservation;
    this.reservation = reservation;
    return null;
  }

  /** Releases the reservation for a model that has not answered, before another model is asked. */
  releaseReservation(): void {
    this.reservation?.release();
    this.reservation = null;
  }

  /**
   * Sets what the next target bills on top of the model's prices (`null` for nothing), and raises the reservation for it. Returns the
   * failure if the balance is too low.
   */
  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure> {
    return this.reservation?.withExtras(extras) ?? null;
  }

  /** Returns the headers with the ids that the upstream of an attempt gets; `null` for none. */
  idsFor(place: IdsPlace, retryCount: number): Readonly<Record<string, string>> | null {
    return attemptIds(place, this.ports.forwardIds, this, retryCount);
  }

  /** The position of the gateway's own work in the trace of the request; `null` if it has none. */
  get traceContext(): TraceContext | null {
    return this.trace?.context ?? ownPositionIn(this.identity);
  }

  // ---- attempts

  attemptBegan(target: AskedTarget, retryCount: number, permit: TargetPermit | null = null): void {
    this.asked = target;
    this.permit = permit;
    this.retries = retryCount;
    this.upstreamRequestId = null;
    const atMs = this.elapsedMs();
    this.times.asks(atMs);
    this.trace?.attemptBegan(target, retryCount, atMs);
  }

  /** Records a wait for a channel that was at its limit. */
  waited(ms: number): void {
    this.times.waits(ms);
    this.trace?.stepped('queue', this.elapsedMs() - ms, null);
  }

  /** Records the status and headers of an upstream response, including an error response. */
  heard({ status, headers }: Pick<UpstreamAnswer, 'status' | 'headers'>): void {
    this.upstreamRequestId = upstreamRequestIdOf(headers);
    const atMs = this.elapsedMs();
    this.times.hears(status, atMs);
    this.trace?.heard(status, this.upstreamRequestId, atMs);
  }

  /** Records a failed attempt. Client errors and disconnects say nothing about the channel, so they do not count. */
  attemptFailed(failure: Failure, latencyMs: number): void {
    this.trace?.attemptFailed(failure, this.elapsedMs());
    // A missing ability becomes the client's 400 only if no channel has it, and is still why this channel did not answer.
    if (failure.side === 'client' && failure.kind !== LACKS_ABILITY) return;
    const facts = this.times.ofAttempt(this.asked, this.upstreamRequestId);
    const attempt = failedAttemptOf(this.asked, failure, latencyMs, facts);
    this.failedAttempts.push(attempt);
    logFailedAttempt(this.ports.logger, this.requestId, attempt, failure);
  }

  /** Records the end of the cache lookup. */
  lookedUp(): void {
    this.times.lookedUpMs = this.elapsedMs();
    this.trace?.passed('cache', null);
  }

  /** Names the target of an answer that needed no upstream request. */
  namesTarget(target: AskedTarget, retryCount: number): void {
    this.asked = target;
    this.retries = retryCount;
  }

  /** Records that the answer came from the cache. */
  foundInCache(hit: CacheHit, prices: PriceSheet | null): void {
    this.cacheHit = hit;
    this.hitPrices = prices;
  }

  /** The `_routing` facts of the target that was asked last; `null` if none was asked. */
  get routing(): RoutingFacts | null {
    return this.asked?.routing.withRetries(this.retries).withSteps(this.toldSteps) ?? null;
  }

  // ---- the answer

  /** Records the parts of the request that the answering channel's format cannot carry. */
  loses(losses: readonly Loss[]): void {
    this.losses = losses;
  }

  servedAs(served: ServedAs): void {
    this.served = served;
  }

  /** Records that the response headers are sent with this HTTP status. */
  answers(status: number): void {
    this.status = status;
  }

  /** Records the failure of the call. `status` is the HTTP status for the client; by default, the one that was already sent. */
  failed(failure: Failure, status = this.status): void {
    this.failure = failure;
    this.status = status;
    this.clientGone = failure.code === 'client_closed_request';
  }

  /** Records that the client disconnected before the end of its answer. The call itself did not fail. */
  clientLeft(): void {
    this.clientGone = true;
  }

  /** Returns the milliseconds since the request arrived. */
  elapsedMs(): number {
    return this.ports.clock.monotonicMs() - this.startedMs;
  }

  /** Returns the milliseconds until the first byte of the answer, or until now if none has been sent. */
  processingMs(): number {
    return this.firstByteMs ?? this.elapsedMs();
  }

  firstByteSent(): void {
    this.firstByteMs ??= this.elapsedMs();
  }

  /** Registers a function that releases a resource of the call. It is called once, when the answer has ended. */
  whenOver(release: () => void): void {
    this.releases.push(release);
  }

  /** Marks the answer as ended and fixes the latency. The client does not wait for usage that is counted after this, so it adds nothing. */
  over(): void {
    this.latencyMs ??= this.elapsedMs();
    if (this.stillHolds === null && this.releases.length > 0) {
      for (const release of this.releases.splice(0)) release();
    }
  }

  /** Delays the release of the call's resources until work that continues after the answer has ended. */
  goesOnUntil(work: Promise<void>): void {
    this.stillHolds = work.finally(() => this.giveBack());
  }

  private giveBack(): void {
    for (const release of this.releases.splice(0)) release();
    // Tokens of a cached answer do not count against the limits, since no upstream generated them.
    this.admission?.end(this.cacheHit === null ? this.billable : null);
    this.permit?.used(this.billable);
  }

  /** Marks the call as continued: the code that ends its work writes the request log. */
  continues(): void {
    this.isContinued = true;
  }

  /** Logs that the usage could not be counted, or the charge could not be recorded. */
  notCharged(error: unknown): void {
    this.ports.logger.error({ requestId: this.requestId, error: String(error) }, 'a request could not be charged');
  }

  /** Whether the usage is known and the charge has been made or started. */
  get isCharged(): boolean {
    return this.billable !== null;
  }

  /** Whether the reservation can be settled only with the real usage, so that an answer has to wait for the count. */
  get dependsOnUsage(): boolean {
    return this.reservation?.dependsOnUsage === true;
  }

  get tellsCost(): boolean {
    return this.ports.costInAnswers === true;
  }

  /** Whether the cost will be unknown, although nothing is charged yet. The account's own channels cost only the fee. */
  get isUnpriced(): boolean {
    return this.reservation?.isPriced === false && this.asked?.isPrivate !== true;
  }

  /**
   * Charges the usage of the call. Returns a promise only if there is something to wait for; it resolves when the
   * charge is durable.
   */
  charge(billable: Billable): undefined | Promise<void> {
    const { reservation, asked: target } = this;
    this.billable = billable;
    this.reservation = null;
    this.times.answeredMs = this.elapsedMs();
    if (reservation === null || target === null) return undefined;
    this.settled = reservation;
    this.costNanoUsd = null;
    const cost = reservation.settle(billable, answeredBy(target, this.served, this.cacheHit, this.status));
    if (target.health.channel.spending !== null && this.cacheHit === null) {
      countSpending(target, { modelId: this.modelId, billable, atMs: this.atMs, applied: reservation.applied });
    }
    if (!(cost instanceof Promise)) {
      this.charged(cost);
      return undefined;
    }
    return this.chargedLater(cost);
  }

  private async chargedLater(charging: Promise<bigint | null>): Promise<void> {
    this.charged(await charging);
  }

  private charged(costNanoUsd: bigint | null): void {
    this.costNanoUsd = costNanoUsd;
    this.times.chargedMs = this.elapsedMs();
  }

  /** Charges the fee for a call over the account's own channel that uses no model. Nothing is charged without a reservation. */
  async chargeFee(): Promise<void> {
    const { reservation, asked: target } = this;
    this.reservation = null;
    if (reservation === null || target === null) return;
    this.costNanoUsd = null;
    this.settled = reservation;
    const { isPrivate, channel } = target;
    this.charged(await reservation.settle(NOTHING_BILLABLE, { channelId: channel.id, isPrivate, tierFactor: null }));
  }

  /** Writes the record. Only the first call has an effect, so every way in which a request can end may call this. */
  record(): void {
    if (this.recorded || (this.guard !== null && this.failure === null && this.guard.delays(this))) return;
    this.recorded = true;
    try {
      this.over();
      this.reservation?.release();
      const record = this.toRecord();
      if (this.stillHolds === null) this.giveBack();
      countRequest(this.ports.metrics, this.batch, record);
      // Requests without a valid key are only counted (wrong-keys.ts); otherwise anybody could fill the log.
      if (this.batch !== null) this.batch.recorded(record, this.failure);
      else if (this.principal !== null && !this.isContinued) this.ports.log.append(record);
      if (this.batch?.relay?.isTaken !== true) logRequest(this.ports.logger, record, this.failure, this);
      if (this.isTraced()) this.trace?.export(record, this.failure);
      else this.trace?.discard();
    } finally {
      this.ports.progress?.ended(this, this.failure !== null && this.failure.side !== 'client');
      this.onRecorded();
    }
  }

  /** Returns what is known of the call so far. */
  running(): RunningCall {
    return {
      requestId: this.requestId,
      atMs: this.atMs,
      elapsedMs: this.elapsedMs(),
      accountId: this.principal?.account.id ?? null,
      keyId: this.principal?.credential.id ?? null,
      format: this.format,
      modelId: this.modelId,
      channelId: this.asked?.channel.id ?? null,
      stream: this.stream,
      retryCount: this.retries,
      firstByteMs: this.firstByteMs,
    };
  }

  /** Requests without a valid key have no trace either. */
  private isTraced(): boolean {
    const { trace, principal, failure, latencyMs } = this;
    if (this.batch?.relay?.isTaken === true) return false;
    return trace !== null && principal !== null && trace.isExported(failure, latencyMs ?? this.elapsedMs());
  }

  private toRecord(): RequestRecord {
    const { asked: target, principal, atMs, hitPrices, billable, costNanoUsd, requestedModel } = this;
    const applied = costNanoUsd === null ? null : (this.settled?.applied ?? null);
    const savedNanoUsd = this.cacheHit && savedByCache({ atMs, hitPrices, billable, costNanoUsd, asked: target });
    const record: Writable<RequestRecord> = {
      requestId: this.requestId,
      atMs: this.atMs,
      accountId: principal?.account.id ?? null,
      keyId: principal?.credential.id ?? null,
      format: this.format,
      modelId: this.modelId,
      channelId: target?.channel.id ?? null,
      provider: target?.channel.provider ?? null,
      upstreamModel: target?.upstreamModel ?? null,
      answerModel: target === null ? null : otherModel(this.served?.model, target.upstreamModel),
      stream: this.stream,
      status: this.status,
      errorCode: this.failure?.code ?? null,
      failureKind: this.failure?.kind ?? null,
      clientGone: this.clientGone,
      isPrivate: target === null ? !this.mayUsePlatform : target.isPrivate,
      retryCount: this.retries,
      failedAttempts: this.failedAttempts,
      latencyMs: this.latencyMs ?? this.elapsedMs(),
      firstByteMs: this.firstByteMs,
      billable: this.billable,
      costNanoUsd: this.costNanoUsd,
      upstreamRequestId: this.upstreamRequestId,
      cacheMatch: this.cacheHit?.match ?? null,
      cacheEntryId: this.cacheHit?.entryId ?? null,
      times: this.times,
    };
    if (this.batch !== null) record.batchId = this.batch.batchId;
    addIds(record, this.identity, this.trace !== null && this.isTraced() ? this.trace.context : null);
    if (applied !== null) record.applied = applied;
    if (this.tags !== NO_TAGS) Object.assign(record, { tags: this.tags.given, summedTags: this.tags.summed });
    if (this.modelSteps !== NO_STEPS) record.modelSteps = this.modelSteps;
    if (this.losses.length > 0) record.losses = this.losses;
    addUpstream(record, target);
    if (this.guard !== null) addVerdicts(record, this.guard);
    if (savedNanoUsd !== null && savedNanoUsd > 0n) record.savedNanoUsd = savedNanoUsd;
    // Without a valid key there is no line.
    if (this.failure !== null && principal !== null) record.told = toldFailure(this.failure);
    if (requestedModel !== null && requestedModel !== this.modelId) record.requestedModel = loggedModel(requestedModel);
    return record;
  }
}
