import type { Channel } from '../../../domain/catalog/channel.ts';
import { NO_LIMITS, type UpstreamLimits } from '../../../domain/catalog/channel-limits.ts';
import type { ChannelLimiters } from '../../channel-limits/channel-limiters.ts';
import { limitQuota } from '../../channel-limits/target-quota.ts';
import type { StatedReading } from '../../ports/health-store.ts';
import type { RateCounters } from '../../ports/rate-counters.ts';
import { findChannel } from './read-channels.ts';

export interface LoadPorts {
  readonly counters: Pick<RateCounters, 'take'>;
  readonly limiters: Pick<ChannelLimiters, 'runningAt' | 'waitingFor'>;
  /** Reads what the providers of a channel have stated to this process. */
  readonly stated: (channelId: string) => Iterable<StatedReading>;
}

/** A limit and how much of it is used in the last 60 s; `null` if the counters cannot be reached now. */
interface LimitUse {
  readonly limit: number;
  readonly used: number | null;
}

interface Use {
  readonly requests: LimitUse | null;
  readonly tokens: LimitUse | null;
}

interface ChannelLoad {
  readonly channel: Channel;
  readonly own: Use;
  readonly models: readonly (Use & { readonly modelId: string })[];
  readonly running: number;
  readonly waiting: number;
  readonly stated: readonly StatedReading[];
}

/** The most models and statements that are returned. */
const MOST_LISTED = 1_000;

/** Resolves to how much of its limits a channel uses now. Throws `AdminError` if the account, or an operator, has no such channel. */
export async function channelLoad(
  ports: LoadPorts,
  channels: readonly Channel[],
  id: string,
  accountId: string | null,
): Promise<ChannelLoad> {
  const channel = findChannel(channels, id, accountId);
  const limits = channel.limits ?? { ...NO_LIMITS, models: {} };
  const models: (Use & { readonly modelId: string })[] = [];
  for (const [modelId, own] of Object.entries(limits.models).slice(0, MOST_LISTED)) {
    models.push({ modelId, ...(await useOf(ports.counters, id, own, modelId)) });
  }
  return {
    ...{ channel, models, own: await useOf(ports.counters, id, limits, null) },
    running: ports.limiters.runningAt(id),
    waiting: ports.limiters.waitingFor(id),
    stated: [...ports.stated(id)].slice(0, MOST_LISTED),
  };
}

/** Reads the windows of one scope. An amount of 0 counts nothing. */
async function useOf(
  counters: LoadPorts['counters'],
  channelId: string,
  limits: UpstreamLimits,
  modelId: string | null,
): Promise<Use> {
  const quota = limitQuota(channelId, limits, modelId);
  if (quota.windows.length === 0) return { requests: null, tokens: null };
  const taken = await counters.take(quota);
  const uses = quota.windows.map(({ limit }, index): LimitUse => {
    const decision = 'decisions' in taken ? taken.decisions[index] : undefined;
    return { limit, used: decision === undefined ? null : limit - decision.remaining };
  });
  const requests = limits.requestsPerMinute === null ? null : (uses.shift() ?? null);
  return { requests, tokens: uses.shift() ?? null };
}

export function channelLoadView({ channel, own, models, running, waiting, stated }: ChannelLoad) {
  return {
    id: channel.id,
    running,
    max_concurrent: channel.limits?.maxConcurrent ?? null,
    waiting,
    requests_per_minute: own.requests,
    tokens_per_minute: own.tokens,
    models: models.map(({ modelId, requests, tokens }) => ({
      id: modelId,
      requests_per_minute: requests,
      tokens_per_minute: tokens,
    })),
    stated: stated.map(({ upstreamModel, unit, limit, left }) => ({
      upstream_model: upstreamModel,
      unit,
      limit,
      left,
    })),
  };
}
