import type { Principal } from '../../domain/access/principal.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { type Billable, NOTHING_BILLABLE } from '../../domain/money/quantity.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { Admission } from '../ports/admission.ts';
import type { Extras, Reservation } from '../ports/billing.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { FailedAttempt, RequestLog, RequestRecord } from '../ports/request-log.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';
import { upstreamRequestIdOf } from './upstream-request-id.ts';

export interface RecordPorts {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** No answer goes out whole that is not charged: there would be no end to what a store that is away gives for nothing. */
export function chargeFailure(): Failure {
  return new Failure('internal_error', {
    message:
      'The answer is complete, but its cost could not be recorded, so its end is withheld. Send the request again later.',
    kind: 'not_charged',
  });
}

/** The facts of one call, told as they become known, and recorded once when it is over. Holds what was put aside for it. */
export class Outcome {
  /** When the call arrived, in milliseconds since 1970. */
  readonly atMs: number;
  private readonly startedMs: number;
  private principal: Principal | null = null;
  private limitsSaid: Admission | null = null;
  private modelId: string | null = null;
  private stream = false;
  private mayUsePlatform = true;
  private reservation: Reservation | null = null;
  private asked: AskedTarget | null = null;
  private retries = 0;
  private readonly failedAttempts: FailedAttempt[] = [];
  private upstreamRequestId: string | null = null;
  private served: ServedAs | null = null;
  private billable: Billable | null = null;
  /** What it was charged, which is nothing until it is; `null` where that is not known. */
  private costNanoUsd: bigint | null = 0n;
  private status = 0;
  private failure: Failure | null = null;
  private clientGone = false;
  private firstByteMs: number | null = null;
  private latencyMs: number | null = null;
  private recorded = false;
  private releases: (() => void)[] = [];

  constructor(
    private readonly ports: RecordPorts,
    readonly requestId: string,
    /** The client's format, as the log names it. */
    private readonly format: string,
    /** Called once, when all is known and recorded. */
    private readonly onRecorded: () => void = () => undefined,
  ) {
    this.atMs = ports.clock.nowMs();
    this.startedMs = ports.clock.monotonicMs();
    ports.metrics.requestStarted();
  }

  // ---- who asks for what

  admittedAs(principal: Principal): void {
    this.principal = principal;
  }

  limitedBy(admission: Admission): void {
    this.limitsSaid = admission;
  }

  /** What the limits have said; `null` where they were not asked. */
  get admission(): Admission | null {
    return this.limitsSaid;
  }

  asks({ stream }: { readonly stream: boolean }): void {
    this.stream = stream;
  }

  /** The model is found; its public id. */
  names(modelId: string | null): void {
    this.modelId = modelId;
  }

  /** Whether a channel that accounts share could answer; decides only where none is asked. */
  mayUse({ platform }: { readonly platform: boolean }): void {
    this.mayUsePlatform = platform;
  }

  /** What was put aside, or why it could not be, which is given back. */
  reserved(reservation: Reservation | Failure): Failure | null {
    if (reservation instanceof Failure) return reservation;
    this.reservation = reservation;
    return null;
  }

  /** More has to be put aside for what a target bills beside the model's prices; why it cannot be. */
  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure> {
    return this.reservation?.withExtras(extras) ?? null;
  }

  // ---- attempts

  attemptBegan(target: AskedTarget, retryCount: number): void {
    this.asked = target;
    this.retries = retryCount;
    this.upstreamRequestId = null;
  }

  /** The head of an upstream's answer, a refusal's as well. */
  heard({ headers }: Pick<UpstreamAnswer, 'status' | 'headers'>): void {
    this.upstreamRequestId = upstreamRequestIdOf(headers);
  }

  /** The client's own mistake, or its leaving, says nothing about the channel and is no failed attempt. */
  attemptFailed(failure: Failure, latencyMs: number): void {
    if (failure.side === 'client') return;
    const channelId = this.asked?.channel.id ?? '';
    const { requestId, upstreamRequestId } = this;
    this.failedAttempts.push({ channelId, kind: failure.kind, latencyMs });
    const { kind, side, message } = failure;
    // An upstream's words may repeat the prompt, which no log may hold; what it says about its own key or account does not.
    const aboutAccess = kind.startsWith('upstream_auth') || kind === 'upstream_quota';
    const reason = aboutAccess ? message : undefined;
    const theirs = upstreamRequestId ?? undefined;
    this.ports.logger.warn({ requestId, channelId, kind, side, reason, upstreamRequestId: theirs }, 'attempt failed');
  }

  /** Whose channel an answer tells of for which none was asked. */
  namesTarget(target: AskedTarget): void {
    this.asked = target;
  }

  /** What `_routing` says of the target that was asked last; `null` where none was. */
  get routing(): RoutingFacts | null {
    return this.asked?.routing.withRetries(this.retries) ?? null;
  }

  // ---- the answer

  servedAs(served: ServedAs): void {
    this.served = served;
  }

  /** The head of an answer goes out, with this HTTP status. */
  answers(status: number): void {
    this.status = status;
  }

  /** How it ended, where that was not well: `status` as the client got it, if its head has not gone out before. */
  failed(failure: Failure, status = this.status): void {
    this.failure = failure;
    this.status = status;
    this.clientGone = failure.code === 'client_closed_request';
  }

  /** The client has left before the end of its answer, which is no failure of the call. */
  clientLeft(): void {
    this.clientGone = true;
  }

  /** Since the request arrived. */
  elapsedMs(): number {
    return this.ports.clock.monotonicMs() - this.startedMs;
  }

  firstByteSent(): void {
    this.firstByteMs ??= this.elapsedMs();
  }

  /** What gives back something that the request holds; called once, when its answer is over. */
  whenOver(release: () => void): void {
    this.releases.push(release);
  }

  /** The answer is over; what is counted until it is recorded was not the client's to wait for. */
  over(): void {
    this.latencyMs ??= this.elapsedMs();
    if (this.releases.length > 0) for (const release of this.releases.splice(0)) release();
  }

  /** It could not be counted what the call has come to, or that could not be charged. */
  notCharged(error: unknown): void {
    this.ports.logger.error({ requestId: this.requestId, error: String(error) }, 'a request could not be charged');
  }

  /** Whether it is known, and charged, what the call has come to. */
  get isCharged(): boolean {
    return this.billable !== null;
  }

  /** Whether what was put aside can be settled only once it is known what the call has come to. */
  get dependsOnUsage(): boolean {
    return this.reservation?.dependsOnUsage === true;
  }

  /** Charges what the request has come to. Where there is something to wait for: until the charge is durable. */
  charge(billable: Billable): undefined | Promise<void> {
    const { reservation, asked: target } = this;
    this.billable = billable;
    this.reservation = null;
    if (reservation === null || target === null) return undefined;
    this.costNanoUsd = null;
    const cost = reservation.settle(billable, {
      channelId: target.channel.id,
      isPrivate: target.isPrivate,
      tierFactor: target.governed?.factorOfTier(this.served?.serviceTier ?? null, target.upstreamModel ?? '') ?? null,
    });
    if (!(cost instanceof Promise)) {
      this.costNanoUsd = cost;
      return undefined;
    }
    return cost.then((charged) => {
      this.costNanoUsd = charged;
    });
  }

  /** Charges what a call over an own channel costs that no model answers; nothing where nothing was put aside for it. */
  async chargeFee(): Promise<void> {
    const { reservation, asked: target } = this;
    this.reservation = null;
    if (reservation === null || target === null) return;
    this.costNanoUsd = null;
    this.costNanoUsd = await reservation.settle(NOTHING_BILLABLE, {
      channelId: target.channel.id,
      isPrivate: target.isPrivate,
      tierFactor: null,
    });
  }

  /** Writes the record; later calls do nothing, so every way a request can end may call it. */
  record(): void {
    if (this.recorded) return;
    this.recorded = true;
    try {
      this.over();
      this.reservation?.release();
      const record = this.toRecord();
      this.limitsSaid?.end(this.billable);
      this.ports.metrics.requestFinished(record);
      // Callers without a key could fill the log with requests; those are only counted (wrong-keys.ts).
      if (this.principal !== null) this.ports.log.append(record);
      this.logLine(record);
    } finally {
      this.onRecorded();
    }
  }

  private logLine(record: RequestRecord): void {
    const { requestId, accountId, keyId, modelId, channelId, status, retryCount, failureKind: kind } = record;
    const latencyMs = Math.round(record.latencyMs);
    const upstreamRequestId = record.upstreamRequestId ?? undefined;
    const fields = {
      requestId,
      accountId,
      keyId,
      modelId,
      channelId,
      status,
      latencyMs,
      retryCount,
      upstreamRequestId,
    };
    const { logger } = this.ports;
    if (kind === null) logger.info(fields, 'request');
    else {
      const failed = { ...fields, code: record.errorCode, kind, side: this.failure?.side };
      logger[this.principal === null ? 'debug' : 'warn'](failed, 'request failed');
    }
  }

  private toRecord(): RequestRecord {
    const { asked: target, principal } = this;
    return {
      requestId: this.requestId,
      atMs: this.atMs,
      accountId: principal?.account.id ?? null,
      keyId: principal?.credential.id ?? null,
      format: this.format,
      modelId: this.modelId,
      channelId: target?.channel.id ?? null,
      provider: target?.channel.provider ?? null,
      upstreamModel: target?.upstreamModel ?? null,
      answerModel: target === null ? null : otherModel(this.served, target),
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
    };
  }
}

const LONGEST_MODEL = 200;

/** The model that the answer names, where it is not the one that was asked for. */
function otherModel(served: ServedAs | null, { upstreamModel }: AskedTarget): string | null {
  const named = served?.model?.replace(/^models\//, '') ?? null;
  return named === null || named === upstreamModel ? null : named.slice(0, LONGEST_MODEL);
}
