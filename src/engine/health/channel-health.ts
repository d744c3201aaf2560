import type { Channel, ChannelBlock } from '../../domain/catalog/channel.ts';
import type { BreakerSettings } from '../../domain/routing/breaker-settings.ts';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import { MovingAverage } from '../../domain/routing/moving-average.ts';
import { SharedBreaker } from '../../domain/routing/shared-breaker.ts';
import type { HealthRow } from '../ports/health-store.ts';

/** What the gateway has learned of one channel; it outlives the directory in which the channel is described. */
export class ChannelHealth {
  block: ChannelBlock | null = null;
  inFlight = 0;
  private readonly byModel = new Map<string, ModelHealth>();
  /** Several accounts use it. */
  private isShared = false;

  constructor(
    readonly channelId: string,
    private settings: BreakerSettings,
  ) {}

  get models(): Iterable<ModelHealth> {
    return this.byModel.values();
  }

  /** The health of one of its models, by the upstream's id for it; of an API that names no model, by its path. */
  model(upstreamModel: string): ModelHealth {
    let health = this.byModel.get(upstreamModel);
    if (!health) {
      health = new ModelHealth(this, upstreamModel, new SharedBreaker(this.settings));
      health.breaker.isShared = this.isShared;
      this.byModel.set(upstreamModel, health);
    }
    return health;
  }

  /** Forgets what was learned; what is under way stays counted. */
  reset(): void {
    this.block = null;
    for (const model of this.byModel.values()) model.reset();
  }

  /** Whether several accounts use it: then the failures of one account are not taken for failures of the channel. */
  share(isShared: boolean): void {
    if (isShared === this.isShared) return;
    this.isShared = isShared;
    for (const { breaker } of this.byModel.values()) breaker.isShared = isShared;
  }

  /** New settings begin with an empty window; a rest continues. */
  configure({ breaker, models }: Channel, nowMs: number): void {
    if (!sameSettings(this.settings, breaker)) {
      this.settings = breaker;
      for (const model of this.byModel.values()) model.configure(breaker, nowMs);
    }
    if (this.byModel.size === 0) return;
    const served = new Set(Object.values(models));
    for (const id of this.byModel.keys()) if (!this.isServed(id, served)) this.byModel.delete(id);
  }

  /** A path is an API of the channel (`/files`); with a model's id behind it, an endpoint of that model alone. */
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
  /** When it last gave a complete answer. */
  answeredAtMs = Number.NEGATIVE_INFINITY;
  lastFailure: { readonly kind: string; readonly atMs: number } | null = null;
  /** Measured separately, since the first byte of a whole answer comes when the model has finished. */
  readonly firstByteMs = { stream: new MovingAverage(), whole: new MovingAverage() };
  /** Something has changed since the last `HealthRow` of it was taken. */
  isNews = false;

  constructor(
    readonly channel: ChannelHealth,
    readonly upstreamModel: string,
    public breaker: SharedBreaker,
  ) {}

  /** Whether a request of the account may be sent now. */
  admits(accountId: string, nowMs: number): boolean {
    return this.channel.block === null && this.breaker.admits(accountId, nowMs);
  }

  /** Whether there is no sign that the account's requests would fail. */
  isWell(accountId: string, nowMs: number): boolean {
    return this.channel.block === null && this.breaker.isClosedFor(accountId, nowMs);
  }

  /** When one may be sent at the earliest; `Infinity` while only an operator can bring the channel back. */
  availableAtMs(accountId: string, nowMs: number): number {
    return this.channel.block === null ? this.breaker.availableAtMs(accountId, nowMs) : Number.POSITIVE_INFINITY;
  }

  configure(settings: BreakerSettings, nowMs: number): void {
    this.breaker = this.breaker.withSettings(settings, nowMs);
  }

  /** The breaker's state as an operator is to see it; open, too, while the whole channel is blocked. */
  stateAt(nowMs: number): BreakerState {
    return this.channel.block === null ? this.breaker.stateAt(nowMs) : 'open';
  }

  reset(): void {
    this.breaker.reset();
    this.lastFailure = null;
    this.isNews = true;
  }

  /** `nowMs` on the monotonic clock, `wallMs` the same moment since 1970. */
  toRow(nowMs: number, wallMs: number): HealthRow {
    const state = this.stateAt(nowMs);
    const { availableInMs } = this.breaker.remember(nowMs);
    return {
      channelId: this.channel.channelId,
      upstreamModel: this.upstreamModel,
      state,
      availableAtMs: this.channel.block === null && availableInMs !== null ? Math.round(wallMs + availableInMs) : null,
      openings: this.breaker.openings,
      requests: this.requests,
      failures: this.failures,
      lastFailure: this.lastFailure?.kind ?? null,
      lastFailureAtMs: this.lastFailure?.atMs ?? null,
      firstByteMs: this.firstByteMs.stream.valueAt(nowMs) ?? this.firstByteMs.whole.valueAt(nowMs),
      updatedAtMs: wallMs,
    };
  }

  /** Takes over what an earlier process knew. */
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
