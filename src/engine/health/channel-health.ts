import { type Channel, partsOfPlace } from '../../domain/catalog/channel.ts';
import type { ChannelBlock } from '../../domain/catalog/channel-block.ts';
import type { BreakerSettings } from '../../domain/routing/breaker-settings.ts';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import { MovingAverage } from '../../domain/routing/moving-average.ts';
import type { ProviderLimits } from '../../domain/routing/provider-limits.ts';
import { SharedBreaker } from '../../domain/routing/shared-breaker.ts';
import type { HealthRow } from '../ports/health-store.ts';
import type { KeySpending } from './key-spending.ts';

/** The gateway's knowledge of one channel. It outlives the directory that describes the channel. */
export class ChannelHealth {
  block: ChannelBlock | null = null;
  inFlight = 0;
  private readonly byModel = new Map<string, ModelHealth>();
  /** Whether several accounts use the channel. */
  private isShared = false;

  /** The spending with the upstream key; `null` for a channel with one key. */
  spending: KeySpending | null = null;
  /** The time, by the monotonic clock, until which the upstream key has spent all that its cap allows. */
  cappedUntilMs = Number.NEGATIVE_INFINITY;
  readonly channelId: string;
  /** The id of the upstream key; `null` for a channel's only key, or the one that it had before it had several. */
  readonly keyId: string | null;
  /** The name of the upstream key; `null` for a channel with one key. */
  keyName: string | null = null;

  /** @param place of the channel (`placeOf`) */
  constructor(
    readonly place: string,
    private settings: BreakerSettings,
  ) {
    const { channelId, keyId } = partsOfPlace(place);
    this.channelId = channelId;
    this.keyId = keyId;
  }

  /** Returns whether the upstream key has spent all that its cap allows. */
  isCapped(nowMs: number): boolean {
    return nowMs < this.cappedUntilMs;
  }

  get models(): Iterable<ModelHealth> {
    return this.byModel.values();
  }

  /** Returns the health of a model by the upstream's id, or of an API without a model by its path. */
  model(upstreamModel: string): ModelHealth {
    let health = this.byModel.get(upstreamModel);
    if (!health) {
      health = new ModelHealth(this, upstreamModel, new SharedBreaker(this.settings));
      health.breaker.isShared = this.isShared;
      this.byModel.set(upstreamModel, health);
    }
    return health;
  }

  /** Whether this upstream model cannot be asked now: its breaker is open, or the channel is blocked. */
  isClosedTo(upstreamModel: string, nowMs: number): boolean {
    return this.block !== null || this.isCapped(nowMs) || this.byModel.get(upstreamModel)?.stateAt(nowMs) === 'open';
  }

  /** Forgets what was learned. Requests in flight stay counted. */
  reset(): void {
    this.block = null;
    for (const model of this.byModel.values()) model.reset();
  }

  /** Sets whether several accounts use the channel: one account's failures are then not taken for the channel's. */
  share(isShared: boolean): void {
    if (isShared === this.isShared) return;
    this.isShared = isShared;
    for (const { breaker } of this.byModel.values()) breaker.isShared = isShared;
  }

  /** Applies new settings, which begin with an empty window; a cooldown continues. */
  configure({ breaker, models }: Channel, nowMs: number): void {
    if (!sameSettings(this.settings, breaker)) {
      this.settings = breaker;
      for (const model of this.byModel.values()) model.configure(breaker, nowMs);
    }
    if (this.byModel.size === 0) return;
    const served = new Set(Object.values(models));
    for (const id of this.byModel.keys()) if (!this.isServed(id, served)) this.byModel.delete(id);
  }

  /**
   * Returns whether the channel still serves this id. A path is an API of the channel (`/files`), or with a model's id behind it, an
   * endpoint of that model.
   */
  private isServed(id: string, models: ReadonlySet<string>): boolean {
    if (!id.startsWith('/')) return models.has(id);
    const [, ...model] = id.split(' ');
    return model.length === 0 || models.has(model.join(' '));
  }
}

/** One channel's health for one upstream model. */
export class ModelHealth {
  inFlight = 0;
  requests = 0;
  failures = 0;
  /** The rate limits that the provider has stated; `null` if it has not. */
  stated: ProviderLimits | null = null;
  /** The time of its last complete answer, by the monotonic clock. */
  answeredAtMs = Number.NEGATIVE_INFINITY;
  lastFailure: { readonly kind: string; readonly atMs: number } | null = null;
  /** Measured separately, since the first byte of a whole answer arrives when the model has finished. */
  readonly firstByteMs = { stream: new MovingAverage(), whole: new MovingAverage() };
  /** Whether it has changed since its last `HealthRow` was taken. */
  isNews = false;
  /** The state of its last `HealthRow`. */
  toldState: BreakerState = 'closed';

  constructor(
    readonly channel: ChannelHealth,
    readonly upstreamModel: string,
    public breaker: SharedBreaker,
  ) {}

  /** Returns whether a request of the account may be sent now. */
  admits(accountId: string, nowMs: number): boolean {
    const { block, cappedUntilMs } = this.channel;
    return block === null && nowMs >= cappedUntilMs && this.breaker.admits(accountId, nowMs);
  }

  /** Returns whether nothing suggests that the account's requests would fail. */
  isWell(accountId: string, nowMs: number): boolean {
    const { block, cappedUntilMs } = this.channel;
    return block === null && nowMs >= cappedUntilMs && this.breaker.isClosedFor(accountId, nowMs);
  }

  /** Returns the earliest time for a request; `Infinity` if only an operator can unblock the channel. */
  availableAtMs(accountId: string, nowMs: number): number {
    const { block, cappedUntilMs } = this.channel;
    if (block !== null) return Number.POSITIVE_INFINITY;
    return Math.max(this.breaker.availableAtMs(accountId, nowMs), cappedUntilMs);
  }

  configure(settings: BreakerSettings, nowMs: number): void {
    this.breaker = this.breaker.withSettings(settings, nowMs);
  }

  /** Returns the breaker's state for operators, which is also open while the whole channel is blocked. */
  stateAt(nowMs: number): BreakerState {
    return this.channel.block === null ? this.breaker.stateAt(nowMs) : 'open';
  }

  reset(): void {
    this.breaker.reset();
    this.stated = null;
    this.lastFailure = null;
    this.isNews = true;
  }

  /** Returns the row to store. `nowMs` is on the monotonic clock, `wallMs` is the same moment since 1970. */
  toRow(nowMs: number, wallMs: number): HealthRow {
    const state = this.stateAt(nowMs);
    const { keyId } = this.channel;
    const { availableInMs } = this.breaker.remember(nowMs);
    return {
      channelId: this.channel.channelId,
      ...(keyId !== null && { keyId }),
      upstreamModel: this.upstreamModel,
      state,
      availableAtMs: this.channel.block === null && availableInMs !== null ? Math.round(wallMs + availableInMs) : null,
      openings: this.breaker.openings,
      requests: this.requests,
      failures: this.failures,
      lastFailure: this.lastFailure?.kind ?? null,
      lastFailureAtMs: this.lastFailure?.atMs ?? null,
      firstByteMs: this.firstByteAt(nowMs),
      updatedAtMs: wallMs,
    };
  }

  /** Returns the average time to the first byte, of streams if there were any; `null` if it is unknown. */
  firstByteAt(nowMs: number): number | null {
    return this.firstByteMs.stream.valueAt(nowMs) ?? this.firstByteMs.whole.valueAt(nowMs);
  }

  /** Restores the health that an earlier process has stored. */
  restore(row: HealthRow, nowMs: number, wallMs: number): void {
    this.requests = row.requests;
    this.failures = row.failures;
    if (row.lastFailure !== null && row.lastFailureAtMs !== null) {
      this.lastFailure = { kind: row.lastFailure, atMs: row.lastFailureAtMs };
    }
    if (row.state === 'closed') return;
    const availableInMs = row.availableAtMs === null ? 0 : Math.max(0, row.availableAtMs - wallMs);
    this.breaker.restore({ openings: row.openings, availableInMs }, nowMs);
  }
}

function sameSettings(one: BreakerSettings, other: BreakerSettings): boolean {
  return (
    one.windowMs === other.windowMs &&
    one.failureRate === other.failureRate &&
    one.minimumRequests === other.minimumRequests &&
    one.cooldownMs === other.cooldownMs &&
    one.maxCooldownMs === other.maxCooldownMs &&
    one.probes === other.probes
  );
}
