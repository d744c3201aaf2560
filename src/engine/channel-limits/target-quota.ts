import { type ChannelLimits, NO_LIMITS, type UpstreamLimits } from '../../domain/catalog/channel-limits.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import { type Places, type Quota, type RateWindow, shareOf, type Taken } from '../ports/rate-counters.ts';

const WINDOW_MS = 60_000;

/** The limit that stops a request: one of the whole channel, one of the model, one that the provider states, or the waiting requests. */
export type LimitedBy = 'channel' | 'model' | 'provider' | 'queue';

/** Why a target takes no request now. */
export interface Full {
  readonly by: LimitedBy;
  /** The time after which it would take one, if no other came; 0 if that depends on the end of a running request. */
  readonly retryAfterMs: number;
}

/** The limits on requests for one model of a channel, as the counters take them. */
export interface TargetQuota {
  /** The places of the model if the channel has places too, because the counters take one kind of places at a time. It has no windows. */
  readonly modelPlaces: Quota | null;
  readonly windows: readonly RateWindow[];
  readonly places: Places | null;
  /** The windows that count tokens, after all others; their `amount` is set for each request. */
  readonly tokens: readonly RateWindow[];
  /** The scopes that limit the whole channel. */
  readonly ofChannel: ReadonlySet<string>;
}

/** Returns the limits for requests of a public model over the channel; `null` if there are none. */
export function targetQuota(channelId: string, limits: ChannelLimits, modelId: string): TargetQuota | null {
  const own = entryOf(limits.models, modelId) ?? NO_LIMITS;
  const ofChannel = channelScope(channelId);
  const ofModel = `${ofChannel}:model:${encodeURIComponent(modelId)}`;
  const channelPlaces = placesOf(limits, ofChannel);
  const modelPlaces = placesOf(own, ofModel);
  const windows = [...requestWindows(limits, ofChannel), ...requestWindows(own, ofModel)];
  const tokens = [...tokenWindows(limits, ofChannel), ...tokenWindows(own, ofModel)];
  const places = channelPlaces ?? modelPlaces;
  if (places === null && windows.length === 0 && tokens.length === 0) return null;
  return {
    modelPlaces: channelPlaces !== null && modelPlaces !== null ? { windows: [], places: modelPlaces } : null,
    ...{ windows, places, tokens },
    ofChannel: new Set(
      [...windows, ...tokens, ...(places === null ? [] : [places])]
        .map(({ scope }) => scope)
        .filter((scope) => !scope.startsWith(`${ofChannel}:model:`)),
    ),
  };
}

/** Returns the windows of the whole channel (`null` for the model) without counting anything, to read what is used. */
export function limitQuota(channelId: string, limits: UpstreamLimits, modelId: string | null): Quota {
  const own = channelScope(channelId);
  const scope = modelId === null ? own : `${own}:model:${encodeURIComponent(modelId)}`;
  const windows = [...requestWindows(limits, scope), ...tokenWindows(limits, scope)];
  return { windows: windows.map((window) => ({ ...window, amount: 0 })), places: null };
}

/** Returns the quota for one request with this number of tokens. A request above a whole limit is admitted while nothing else uses the limit. */
export function quotaFor({ windows, places, tokens }: TargetQuota, amount: number): Quota {
  if (tokens.length === 0) return { windows, places };
  const counted = tokens.map((window) => ({ ...window, amount: Math.max(1, Math.min(amount, window.limit)) }));
  return { windows: [...windows, ...counted], places };
}

/** Returns the limits with a percentage of each, but at least one request. */
export function shareOfTarget(quota: TargetQuota, percent: number): TargetQuota {
  const { modelPlaces, windows, places, tokens } = quota;
  return {
    ...quota,
    ...shareOf({ windows, places }, percent),
    modelPlaces: modelPlaces === null ? null : shareOf(modelPlaces, percent),
    tokens: shareOf({ windows: tokens, places: null }, percent).windows,
  };
}

/** Returns why the counters refused a request. */
export function refusedBy(quota: TargetQuota, { windows, places }: Quota, { decisions, hasFreePlace }: Taken): Full {
  let retryAfterMs = 0;
  let isOfChannel = !hasFreePlace && places !== null && quota.ofChannel.has(places.scope);
  for (const [index, decision] of decisions.entries()) {
    if (decision.isAdmitted) continue;
    retryAfterMs = Math.max(retryAfterMs, decision.retryAfterMs);
    if (quota.ofChannel.has(windows[index]?.scope ?? '')) isOfChannel = true;
  }
  return { by: isOfChannel ? 'channel' : 'model', retryAfterMs };
}

/** The colon keeps the scopes of channels apart from those of accounts, whose ids are encoded. */
function channelScope(channelId: string): string {
  return `{channel:${encodeURIComponent(channelId)}}`;
}

function placesOf({ maxConcurrent }: UpstreamLimits, scope: string): Places | null {
  return maxConcurrent === null ? null : { scope: `${scope}:running`, limit: maxConcurrent };
}

function requestWindows({ requestsPerMinute: limit }: UpstreamLimits, scope: string): readonly RateWindow[] {
  return limit === null ? [] : [{ scope: `${scope}:requests`, limit, windowMs: WINDOW_MS, amount: 1 }];
}

function tokenWindows({ tokensPerMinute: limit }: UpstreamLimits, scope: string): readonly RateWindow[] {
  return limit === null ? [] : [{ scope: `${scope}:tokens`, limit, windowMs: WINDOW_MS, amount: 0 }];
}
