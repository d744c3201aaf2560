import { describe, expect, test } from 'bun:test';
import { Pings } from './pings.ts';

function waiting() {
  const stream = { reads: 1, isWanted: true, pings: 0, ping: () => void stream.pings++ };
  return stream;
}

describe('pings', () => {
  test('are sent once per interval while a client waits, and not while the stream waits for the client', () => {
    const pings = new Pings({ intervalMs: 3_000 });
    const [silent, lively, unread] = [waiting(), waiting(), waiting()];
    unread.isWanted = false;
    const [watch] = [silent, lively, unread].map((stream) => pings.watch(stream));
    for (let second = 0; second < 9; second++) {
      lively.reads++;
      pings.look();
    }
    expect([silent.pings, lively.pings, unread.pings]).toEqual([3, 0, 0]);
    if (watch !== undefined) pings.unwatch(watch);
    for (let second = 0; second < 3; second++) pings.look();
    expect(silent.pings).toBe(3);
  });

  test('are off at 0', () => {
    const pings = new Pings({ intervalMs: 0 });
    const stream = waiting();
    pings.watch(stream);
    for (let second = 0; second < 100; second++) pings.look();
    expect([pings.isOn, stream.pings]).toEqual([false, 0]);
  });

  test('report a late result', async () => {
    const pings = new Pings({ intervalMs: 2_000 });
    const result = Promise.withResolvers<string>();
    const soon = pings.within(Promise.resolve('soon'));
    const late = pings.within(result.promise);
    const failed = pings.within(Promise.reject(new Error('broken')));
    expect(await soon).toBe('soon');
    expect(failed).rejects.toThrow('broken');
    pings.look();
    pings.look();
    expect(await late).toBeNull();
    result.resolve('never seen');
  });
});
