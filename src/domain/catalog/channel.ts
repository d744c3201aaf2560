import type { ModelPricing } from '../money/pricing.ts';
import type { BreakerSettings } from '../routing/breaker-settings.ts';
import type { Origin } from './model.ts';

/** What one call to an upstream may take, all in milliseconds. */
export interface CallTimeouts {
  readonly connectMs: number;
  /** From the sending to the head of the answer. */
  readonly firstByteMs: number;
  /** Silence within the answer. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The same for a model, whose whole answers may be silent for longer than its streams. */
export interface ModelTimeouts extends CallTimeouts {
  /** Of a stream, in the place of `firstByteMs`. */
  readonly firstEventMs: number;
  /** Of a stream, in the place of `idleMs`. */
  readonly eventIdleMs: number;
}

/** On by default for every channel (design, section 4). */
export interface ChannelTimeouts extends ModelTimeouts {
  /** For those of its models that have their own, by public id. */
  readonly models: Readonly<Record<string, ModelTimeouts>>;
}

/**
 * A whole answer is silent until it is complete, so it has the 600 s for which the SDKs of OpenAI and Anthropic wait. A stream
 * that is silent for 120 s is most often dead.
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

/** What a call for a whole answer, and one for a stream, may take. */
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
