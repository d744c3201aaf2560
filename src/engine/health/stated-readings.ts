import type { LimitedUnit, LimitReading } from '../../domain/routing/provider-limits.ts';
import type { StatedReading } from '../ports/health-store.ts';
import type { ChannelHealth } from './channel-health.ts';

/**
 * Returns what is left of the rate limits that the provider of a channel has stated. The limits of several keys add up; of several limits on
 * the same unit, the one with the least left counts.
 *
 * @param keys the health of the channel with each of its keys
 */
export function statedOver(keys: readonly ChannelHealth[], nowMs: number): readonly StatedReading[] {
  const sums = new Map<string, StatedReading>();
  for (const { channelId, models } of keys) {
    for (const { upstreamModel, stated } of models) {
      for (const { unit, limit, left } of tightest(stated?.readings(nowMs) ?? [])) {
        const name = `${unit} ${upstreamModel}`;
        const known = sums.get(name);
        const whole = known === undefined ? limit : known.limit === null || limit === null ? null : known.limit + limit;
        sums.set(name, { channelId, upstreamModel, unit, limit: whole, left: left + (known?.left ?? 0) });
      }
    }
  }
  return [...sums.values()];
}

function tightest(readings: readonly LimitReading[]): Iterable<LimitReading> {
  const byUnit = new Map<LimitedUnit, LimitReading>();
  for (const reading of readings) {
    if (reading.left < (byUnit.get(reading.unit)?.left ?? Number.POSITIVE_INFINITY)) byUnit.set(reading.unit, reading);
  }
  return byUnit.values();
}
