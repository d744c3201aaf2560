import { expect, test } from 'bun:test';
import { DirectoryRefresh } from './directory-source.ts';

test('a caller during a refresh waits for a later one, which several callers share', async () => {
  const ends: ((changed: boolean) => void)[] = [];
  const refresh = () => new Promise<boolean>((resolve) => ends.push(resolve));
  const refreshes = new DirectoryRefresh({ refresh });
  const first = refreshes.run();
  const later = [refreshes.run(), refreshes.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.(false);
  expect(await first).toBe(false);
  await Bun.sleep(0);
  expect(ends).toHaveLength(2);
  const last = refreshes.run();
  ends[1]?.(true);
  expect(await Promise.all(later)).toEqual([true, true]);
  await Bun.sleep(0);
  ends[2]?.(false);
  expect([await last, ends.length]).toEqual([false, 3]);
});

test('a failed refresh does not prevent the next', async () => {
  let asked = 0;
  const refreshes = new DirectoryRefresh({
    refresh: async () => {
      if (asked++ === 0) throw new Error('the database is unavailable');
      return true;
    },
  });
  const [first, second] = await Promise.allSettled([refreshes.run(), refreshes.run()]);
  expect([first?.status, second]).toEqual(['rejected', { status: 'fulfilled', value: true }]);
  expect(await refreshes.run()).toBe(true);
});
