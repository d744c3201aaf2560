import type { Channel } from '../../domain/catalog/channel.ts';
import type { ChannelLimits } from '../../domain/catalog/channel-limits.ts';
import { type ExpectedTokens, NO_TOKENS } from '../../domain/routing/provider-limits.ts';
import { type LargestSize, TokenForecast } from '../../domain/routing/token-forecast.ts';
import type { Clock } from '../ports/clock.ts';
import type { CountersAway, Quota, RateCounters, Taken } from '../ports/rate-counters.ts';
import {
  type HeldPlace,
  type LimitedTarget,
  type PermitFacts,
  type PermitPorts,
  TargetPermit,
} from './target-permit.ts';
import {
  type Full,
  type LimitedBy,
  quotaFor,
  refusedBy,
  shareOfTarget,
  type TargetQuota,
  targetQuota,
} from './target-quota.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface LimiterPorts {
  readonly counters: RateCounters;
  readonly clock: Clock;
  /** Runs the work after `ms`, unless the returned function is called first. */
  readonly timer: (ms: number, work: () => void) => () => void;
  /** Returns the channel as it is configured now; `null` if it is not in use. */
  readonly channel: (id: string) => Channel | null;
}

/** The most models of one channel whose use of tokens is remembered. */
const MOST_FORECASTS = 1_000;

/** Admits requests to the targets of one channel. */
export class ChannelLimiter {
  readonly lines: WaitingLines;
  readonly #permits: PermitPorts;
  /** How often the channel took no request, by the limit. */
  readonly refusals: Record<LimitedBy, number> = { channel: 0, model: 0, provider: 0, queue: 0 };
  /** The number of permits that have not ended. */
  running = 0;
  readonly #forecasts = new Map<string, TokenForecast>();
  /** The quotas of the limits that were configured last, by public model. All keys of a channel share them. */
  #quotas: { readonly limits: ChannelLimits; readonly byModel: Map<string, TargetQuota | null> } | null = null;

  constructor(
    readonly channelId: string,
    private readonly ports: LimiterPorts,
  ) {
    const take = (target: LimitedTarget, size: LargestSize | null) => this.#take(this.#asConfigured(target), size);
    this.lines = new WaitingLines({ timer: ports.timer, take, isInUse: () => ports.channel(channelId) !== null });
    this.#permits = {
      counters: ports.counters,
      left: () => {
        this.running--;
        this.lines.changed();
      },
      heard: () => this.lines.changed(),
    };
  }

  /**
   * Counts a request of this size against all limits of the target, or against none. Requests that wait already come first.
   *
   * @param size `null` for a request without tokens
   * @param sharePercent the percentage of each limit up to which a request of low priority is admitted. It also comes after every request
   *   that waits for the channel, whatever the model. Absent for other requests
   */
  take(
    target: LimitedTarget,
    size: LargestSize | null,
    sharePercent?: number,
  ): TargetPermit | Full | Promise<TargetPermit | Full> {
    if (sharePercent !== undefined && this.lines.size > 0) return this.#refused({ by: 'queue', retryAfterMs: 0 });
    const before = this.lines.lineBefore(target);
    if (before !== null) return this.#refused({ by: 'queue', retryAfterMs: before.why.retryAfterMs });
    const taking = this.#take(target, size, sharePercent);
    const counted = (taken: TargetPermit | Full) => (taken instanceof TargetPermit ? taken : this.#refused(taken));
    return taking instanceof Promise ? taking.then(counted) : counted(taking);
  }

  #refused(full: Full): Full {
    this.refusals[full.by]++;
    return full;
  }

  /** Waiting requests follow changes of the configuration. */
  #asConfigured(target: LimitedTarget): LimitedTarget {
    const channel = this.ports.channel(this.channelId);
    return channel === null || channel === target.channel ? target : { ...target, channel };
  }

  #take(
    target: LimitedTarget,
    size: LargestSize | null,
    sharePercent?: number,
  ): TargetPermit | Full | Promise<TargetPermit | Full> {
    const forecast = size === null ? null : this.#forecastOf(target.publicModel);
    const expected = size === null || forecast === null ? NO_TOKENS : forecast.of(size);
    const waitMs = this.#providerWaitMs(target, expected, sharePercent);
    if (waitMs > 0) return { by: 'provider', retryAfterMs: waitMs };
    const whole = this.#quotaOf(target);
    const quota = whole === null || sharePercent === undefined ? whole : shareOfTarget(whole, sharePercent);
    if (quota === null) return this.#permit(target, { held: [], requests: [], tokens: [] }, size, expected);
    const main = quotaFor(quota, expected.input + expected.output);
    const admitted = (held: readonly HeldPlace[]) =>
      this.#permit(
        target,
        { held, requests: quota.windows, tokens: main.windows.slice(quota.windows.length) },
        size,
        expected,
      );
    return quota.modelPlaces === null
      ? this.#takeMain(quota, main, [], admitted)
      : this.#takeBoth(quota, quota.modelPlaces, main, admitted);
  }

  #providerWaitMs({ health, limitSpelling }: LimitedTarget, expected: ExpectedTokens, sharePercent?: number): number {
    if (health.stated === null || limitSpelling === null) return 0;
    return health.stated.waitMs(expected, this.ports.clock.monotonicMs(), sharePercent);
  }

  #takeMain(
    quota: TargetQuota,
    main: Quota,
    before: readonly HeldPlace[],
    admitted: (held: readonly HeldPlace[]) => TargetPermit,
  ): TargetPermit | Full | Promise<TargetPermit | Full> {
    const answer = (taken: Taken | CountersAway): TargetPermit | Full => {
      if (!('decisions' in taken)) return { by: 'channel', retryAfterMs: taken.retryAfterMs };
      return taken.isAdmitted ? admitted([...before, ...heldBy(main, taken)]) : refusedBy(quota, main, taken);
    };
    const taking = this.ports.counters.take(main);
    return taking instanceof Promise ? taking.then(answer) : answer(taking);
  }

  /** Takes the model's place first, since only a place can be given back exactly. */
  async #takeBoth(
    quota: TargetQuota,
    modelPlaces: Quota,
    main: Quota,
    admitted: (held: readonly HeldPlace[]) => TargetPermit,
  ): Promise<TargetPermit | Full> {
    const taken = await this.ports.counters.take(modelPlaces);
    if (!('decisions' in taken)) return { by: 'model', retryAfterMs: taken.retryAfterMs };
    if (!taken.isAdmitted) return { by: 'model', retryAfterMs: 0 };
    const held = heldBy(modelPlaces, taken);
    const result = await this.#takeMain(quota, main, held, admitted);
    if (!(result instanceof TargetPermit))
      for (const { places, place } of held) this.ports.counters.leave(places, place);
    return result;
  }

  #permit(
    target: LimitedTarget,
    counted: Pick<PermitFacts, 'held' | 'requests' | 'tokens'>,
    size: LargestSize | null,
    expected: ExpectedTokens,
  ): TargetPermit {
    const mark = target.health.stated?.sends(expected, this.ports.clock.monotonicMs()) ?? null;
    const forecast = size === null ? null : this.#forecastOf(target.publicModel);
    this.running++;
    return new TargetPermit(this.#permits, { ...counted, size, forecast, mark });
  }

  #quotaOf({ channel, publicModel }: LimitedTarget): TargetQuota | null {
    const { limits } = channel;
    if (limits === null) return null;
    if (this.#quotas?.limits !== limits) this.#quotas = { limits, byModel: new Map() };
    const { byModel } = this.#quotas;
    let quota = byModel.get(publicModel);
    if (quota === undefined) {
      quota = targetQuota(this.channelId, limits, publicModel);
      byModel.set(publicModel, quota);
    }
    return quota;
  }

  #forecastOf(publicModel: string): TokenForecast {
    let forecast = this.#forecasts.get(publicModel);
    if (forecast === undefined) {
      if (this.#forecasts.size >= MOST_FORECASTS) this.#forecasts.clear();
      forecast = new TokenForecast();
      this.#forecasts.set(publicModel, forecast);
    }
    return forecast;
  }
}

function heldBy({ places }: Quota, { place }: Taken): readonly HeldPlace[] {
  return places === null || place === null ? [] : [{ places, place }];
}
