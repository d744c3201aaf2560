/** When a channel is taken out of rotation for one model, and when it is tried again. */
export interface BreakerSettings {
  /** The length of the window in which requests count. */
  readonly windowMs: number;
  /** The share of failed requests in the window, from 0 to 1, at which the breaker opens. */
  readonly failureRate: number;
  /** With fewer requests in the window it does not open, however many failed. */
  readonly minimumRequests: number;
  /** How long it stays open the first time; doubled after each failed probe. */
  readonly cooldownMs: number;
  /** The longest time that it stays open at once, whatever the upstream's `Retry-After` says. */
  readonly maxCooldownMs: number;
  /** The most probes that may wait for their first byte at once while it is half-open. */
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
