import type { Quota, RateDecision, Taken } from '../../engine/ports/rate-counters.ts';

/** Keyed by the number of gateways. */
const shares = new WeakMap<Quota, Map<number, Quota>>();

/**
 * Returns the share of a quota that one of several gateways may admit on its own: each limit divided by their number, rounded down, but at
 * least 1, since a limit below the number of gateways would otherwise refuse everything.
 */
export function shareOf(quota: Quota, gateways: number): Quota {
  if (gateways <= 1) return quota;
  const known = shares.get(quota) ?? new Map<number, Quota>();
  shares.set(quota, known);
  const part = (limit: number) => Math.max(1, Math.floor(limit / gateways));
  const share = known.get(gateways) ?? {
    windows: quota.windows.map((window) => ({ ...window, limit: part(window.limit) })),
    places: quota.places === null ? null : { ...quota.places, limit: part(quota.places.limit) },
  };
  known.set(gateways, share);
  return share;
}

/** Converts the result for a share to the limits of the whole quota. */
export function asOfWhole(quota: Quota, share: Quota, taken: Taken): Taken {
  if (share === quota) return taken;
  const decisions = taken.decisions.map(
    (decision, index): RateDecision => ({ ...decision, limit: quota.windows[index]?.limit ?? decision.limit }),
  );
  return { ...taken, decisions };
}
