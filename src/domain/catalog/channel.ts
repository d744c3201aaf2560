import type { ModelPricing } from '../money/pricing.ts';
import type { BreakerSettings } from '../routing/breaker-settings.ts';
import type { Origin } from './model.ts';

/** All in milliseconds; on by default for every channel (design, section 4). */
export interface ChannelTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: ChannelTimeouts = {
  connectMs: 3_000,
  firstByteMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

/** Why the gateway itself has taken a channel out of use: its provider refuses the credentials, so every request would fail. */
export interface ChannelBlock {
  readonly atMs: number;
  /** One sentence, cleaned of secrets. */
  readonly reason: string;
}

/** One way to an upstream: a provider, an address, a key, and the models that it serves. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  /** A provider manifest's name. */
  readonly provider: string;
  /** Overrides the manifest's base address; no trailing slash. */
  readonly baseUrl: string | null;
  /** The upstream key in plain text; it exists only in memory, the store keeps it encrypted. */
  readonly apiKey: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Only these of the provider's formats, in this order; `null` means all, in the manifest's order. */
  readonly formats: readonly string[] | null;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
  /** The account that alone may use it (a PRIVATE channel), or `null`. */
  readonly owner: string | null;
  readonly timeouts: ChannelTimeouts;
  /** Public model id → the upstream's id for it. */
  readonly models: Readonly<Record<string, string>>;
  /** What the upstream charges, by public model id, in the shape of a model's prices; for the strategy `lowest-cost`. */
  readonly costs: Readonly<Record<string, ModelPricing>>;
  readonly breaker: BreakerSettings;
  /** The operator's switch. */
  readonly enabled: boolean;
  readonly block: ChannelBlock | null;
  /** When an operator last asked that what the gateway has learned of the channel's health be forgotten. */
  readonly resetAtMs: number | null;
  readonly origin: Origin;
}
