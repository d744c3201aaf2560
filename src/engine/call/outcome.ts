import type { Principal } from '../../domain/access/principal.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { type Billable, NOTHING_BILLABLE } from '../../domain/money/quantity.ts';
import type { AskedTarget, Target } from '../directory/target.ts';
import type { Admission } from '../ports/admission.ts';
import type { Reservation } from '../ports/billing.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { FailedAttempt, RequestLog, RequestRecord } from '../ports/request-log.ts';

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

/** Gathers the facts of one request as they become known and records them once, when it is over. */
export class Outcome<Asked extends AskedTarget = Target> {
  principal: Principal | null = null;
  modelId: string | null = null;
  stream = false;
  target: Asked | null = null;
  retryCount = 0;
  readonly failedAttempts: FailedAttempt[] = [];
  /** What the request has come to, where that is known. */
  billable: Billable | null = null;
  /** What it was charged, which is nothing until it is; `null` where that is not known. */
  costNanoUsd: bigint | null = 0n;
  upstreamRequestId: string | null = null;
  /** What the answer says of how it was made. */
  served: ServedAs | null = null;
  /** What the limits have said. */
  admission: Admission | null = null;
  /** What was put aside, until it is settled or released. */
  reservation: Reservation | null = null;
  /** The status that went to the client. */
  status = 0;
  failure: Failure | null = null;
  clientGone = false;
  /** Whether a channel that accounts share serves the model; decides only where none was asked. */
  mayUsePlatform = true;

  /** When the request arrived, in milliseconds since 1970. */
  readonly atMs: number;
  private readonly startedMs: number;
  private firstByteMs: number | null = null;
  private latencyMs: number | null = null;
  private recorded = false;
  private releases: (() => void)[] = [];

  constructor(
    private readonly ports: RecordPorts,
    readonly requestId: string,
    private readonly format: string,
  ) {
    this.atMs = ports.clock.nowMs();
    this.startedMs = ports.clock.monotonicMs();
    ports.metrics.requestStarted();
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

  /** What the request has come to could not be counted or not be charged. */
  notCharged(error: unknown): void {
    this.ports.logger.error({ requestId: this.requestId, error: String(error) }, 'a request could not be charged');
  }

  /** Whether what was put aside can be settled only once it is known what the request has come to. */
  get dependsOnUsage(): boolean {
    return this.reservation?.dependsOnUsage === true;
  }

  /** Charges what the request has come to. Where there is something to wait for: until the charge is durable. */
  charge(billable: Billable): undefined | Promise<void> {
    const { reservation, target } = this;
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
    const { reservation, target } = this;
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
    this.over();
    this.reservation?.release();
    const record = this.toRecord();
    this.admission?.end(this.billable);
    this.ports.metrics.requestFinished(record);
    // Whoever has no key could fill the log with nothing but requests; they are counted (wrong-keys.ts).
    if (this.principal !== null) this.ports.log.append(record);
    this.logLine(record);
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
    const { target, principal } = this;
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
      retryCount: this.retryCount,
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
