import type { ModelPricing } from '../money/pricing.ts';
import type { BreakerSettings } from '../routing/breaker-settings.ts';
import { compareText } from '../text/compare-text.ts';
import type { ForwardedId } from '../trace/forwarded-ids.ts';
import type { ChannelBlock } from './channel-block.ts';
import type { ChannelLimits, QueueSettings } from './channel-limits.ts';
import type { Origin } from './model.ts';
import type { UpstreamKey } from './upstream-key.ts';

/** The timeouts of one upstream call, all in milliseconds. */
export interface CallTimeouts {
  readonly connectMs: number;
  /** From sending the request to the head of the response. */
  readonly firstByteMs: number;
  /** The longest silence within the response. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The timeouts for a model, whose whole answers may be silent for longer than its streams. */
export interface ModelTimeouts extends CallTimeouts {
  /** Replaces `firstByteMs` for a stream. */
  readonly firstEventMs: number;
  /** Replaces `idleMs` for a stream. */
  readonly eventIdleMs: number;
}

/** The defaults apply to every channel (design, section 4). */
export interface ChannelTimeouts extends ModelTimeouts {
  /** Overrides for single models, by public id. */
  readonly models: Readonly<Record<string, ModelTimeouts>>;
}

/**
 * A whole answer is silent until it is complete, so it gets the 600 s that the SDKs of OpenAI and Anthropic wait. A stream that
 * is silent for 120 s is usually dead.
 */
export const DEFAULT_TIMEOUTS: ChannelTimeouts = {
  connectMs: 3_000,
  firstByteMs: 600_000,
  idleMs: 600_000,
  firstEventMs: 120_000,
  eventIdleMs: 120_000,
  totalMs: 1_800_000,
  models: {},
};

/** Returns the timeouts of a call for a whole answer, and of one for a stream. */
export function timeoutsOfCalls(timeouts: ModelTimeouts): {
  readonly whole: CallTimeouts;
  readonly stream: CallTimeouts;
} {
  const { connectMs, totalMs, firstByteMs, idleMs, firstEventMs, eventIdleMs } = timeouts;
  return {
    whole: { connectMs, firstByteMs, idleMs, totalMs },
    stream: { connectMs, firstByteMs: firstEventMs, idleMs: eventIdleMs, totalMs },
  };
}

/** A way to an upstream: a provider, an address, a key, and the models that it serves. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  /** A provider manifest's name. */
  readonly provider: string;
  /** Overrides the manifest's base address; no trailing slash. */
  readonly baseUrl: string | null;
  /** The upstream key in plain text. It exists only in memory; the store keeps it encrypted. */
  readonly apiKey: string | null;
  /** Several keys, in the operator's order; absent if the channel has one or none. */
  readonly apiKeys?: readonly UpstreamKey[];
  /** The one of `apiKeys` that `apiKey` is, in a channel as routing sees it; absent in stored channels, and without several keys. */
  readonly upstreamKey?: UpstreamKey;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Only these of the provider's formats, in this order; `null` means all, in the manifest's order. */
  readonly formats: readonly string[] | null;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
  /** The only account that may use it (a PRIVATE channel), or `null`. */
  readonly owner: string | null;
  readonly timeouts: ChannelTimeouts;
  /** Maps a public model id to the upstream's id. */
  readonly models: Readonly<Record<string, string>>;
  /** The upstream's charges by public model id, in the form of a model's prices; used by the strategy `lowest-cost`. */
  readonly costs: Readonly<Record<string, ModelPricing>>;
  readonly breaker: BreakerSettings;
  /** The ids that the upstream gets; `null` for those of the gateway's settings, or none if the channel has an owner. */
  readonly forwardIds: readonly ForwardedId[] | null;
  /** The limits on requests to the upstream; `null` for none. */
  readonly limits: ChannelLimits | null;
  /** How requests wait while it is at a limit; `null` for the gateway's setting. */
  readonly queue: QueueSettings | null;
  /** Whether requests stop before they would exceed the limits that the provider states in its answers. */
  readonly followsProviderLimits: boolean;
  /** Whether lines of batches go into batches of the provider, which must have an API for them. */
  readonly relaysBatches: boolean;
  /** Whether the operator has enabled it. */
  readonly enabled: boolean;
  readonly block: ChannelBlock | null;
  /** When an operator last reset the channel's learned health. */
  readonly resetAtMs: number | null;
  readonly origin: Origin;
}

/**
 * Returns the text that identifies the upstream credentials of a channel: health, the state and the objects that a provider has issued, and
 * submitted jobs belong to them.
 */
export function placeOf({ id, upstreamKey }: Pick<Channel, 'id' | 'upstreamKey'>): string {
  return placeAt(id, upstreamKey?.id ?? null);
}

/** Returns the place of a channel's key with this id, or of its only key (`null`). */
export function placeAt(channelId: string, keyId: string | null): string {
  return keyId === null ? channelId : `${channelId}/${keyId}`;
}

/** Returns the channel's id of a place, and the id of the upstream key; `null` for the channel's only key. */
export function partsOfPlace(place: string): { readonly channelId: string; readonly keyId: string | null } {
  const slash = place.indexOf('/');
  return slash < 0
    ? { channelId: place, keyId: null }
    : { channelId: place.slice(0, slash), keyId: place.slice(slash + 1) };
}

/** Compares channels for the order in which they are tried and consulted about a model: by priority, then by id. */
export function byPriority(one: Pick<Channel, 'priority' | 'id'>, other: Pick<Channel, 'priority' | 'id'>): number {
  return one.priority - other.priority || compareText(one.id, other.id);
}
