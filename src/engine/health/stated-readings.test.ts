import { expect, test } from 'bun:test';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { ProviderLimits } from '../../domain/routing/provider-limits.ts';
import { ChannelHealth } from './channel-health.ts';
import { statedOver } from './stated-readings.ts';

/** The health of one key whose provider has stated two limits on requests. */
function keyWith(place: string, minute: number, tenSeconds: number): ChannelHealth {
  const health = new ChannelHealth(place, DEFAULT_BREAKER);
  const stated = new ProviderLimits();
  const limit = { unit: 'requests', limit: 60, resetMs: 10_000, refill: 'window' } as const;
  stated.states(
    [
      { ...limit, index: 0, remaining: minute },
      { ...limit, index: 1, remaining: tenSeconds },
    ],
    null,
    0,
    300_000,
  );
  health.model('m').stated = stated;
  return health;
}

test('the rests of several keys add up, and of several limits the tightest counts', () => {
  const keys = [keyWith('a/one', 40, 7), keyWith('a/two', 3, 50)];
  expect(statedOver(keys, 0)).toMatchObject([{ upstreamModel: 'm', unit: 'requests', limit: 120, left: 10 }]);
});
