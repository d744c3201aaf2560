/** When a channel is taken out of the rotation for one model, and when it is tried again. */
export interface BreakerSettings {
  /** How far back requests count. */
  readonly windowMs: number;
  /** The share of failed requests in the window, from 0 to 1, at which the breaker opens. */
  readonly failureRate: number;
  /** Below this number of requests in the window it does not open, however many failed. */
  readonly minimumRequests: number;
  /** How long it stays open the first time; twice as long after each probe that failed. */
  readonly cooldownMs: number;
  /** The longest time that it stays open at once, whatever the upstream's `Retry-After` says. */
  readonly maxCooldownMs: number;
  /** How many probes may wait for their first byte at once while it is half-open. */
  readonly probes: number;
}

export const DEFAULT_BREAKER: BreakerSettings = {
  windowMs: 30_000,
  failureRate: 0.5,
  minimumRequests: 5,
  cooldownMs: 2_000,
  maxCooldownMs: 300_000,
  probes: 3,
};
