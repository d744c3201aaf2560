import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { measureOf, readable, storedCount, type UnitName } from './units.ts';

const shown = (path: string, value: number) => {
  const measure = measureOf(path);
  if (measure === null) throw new Error(`${path} has no unit`);
  const { count, unit } = readable(value, measure);
  return `${count} ${unit}`;
};

test.each([
  ['deadline_ms', 600_000, '10 minutes'],
  ['shutdown_grace_ms', 90_000, '1.5 minutes'],
  ['ping_interval_ms', 0, '0 ms'],
  ['timeouts.connect_ms', 1_250, '1250 ms'],
  ['ttl_seconds', 86_400, '1 days'],
  ['session_hours', 12, '12 hours'],
  ['session_hours', 720, '30 days'],
  ['audit_days', 3_650, '3650 days'],
  ['deadline_minutes.video', 120, '2 hours'],
  ['feedback.block_minutes', 45, '45 minutes'],
  ['max_body_bytes', 52_428_800, '50 mb'],
  ['max_bytes_per_account', 2_684_354_560, '2.5 gb'],
  ['max_body_bytes', 1_000_000, '1000000 bytes'],
  ['memory_mb', 64, '64 mb'],
  ['disk_mb', 1_024, '1 gb'],
  ['max_entry_kb', 1_024, '1 mb'],
])('%s of %d is %s', (path, value, text) => {
  expect(shown(path, value)).toBe(text);
});

test('other settings have no unit', () => {
  for (const path of ['max_attempts', 'requests_per_minute', 'private_channel_fee_usd', 'hit_price_percent', 'keys'])
    expect(measureOf(path)).toBeNull();
});

test('no unit is smaller than the stored one', () => {
  expect(measureOf('session_hours')?.units).toEqual(['hours', 'days']);
  expect(measureOf('memory_mb')?.units).toEqual(['mb', 'gb']);
  expect(measureOf('deadline_ms')?.units).toEqual(['ms', 'seconds', 'minutes', 'hours', 'days']);
});

test('what is read is stored as it was', () => {
  const endings: readonly UnitName[] = ['ms', 'seconds', 'minutes', 'hours', 'days', 'bytes', 'kb', 'mb'];
  fc.assert(
    fc.property(fc.constantFrom(...endings), fc.nat({ max: 2 ** 31 - 1 }), (ending, value) => {
      const measure = measureOf(`x_${ending}`);
      if (measure === null) throw new Error(ending);
      expect(storedCount(readable(value, measure), measure)).toBe(value);
    }),
  );
  const ms = measureOf('deadline_ms');
  if (ms === null) throw new Error('ms');
  expect(storedCount({ count: 1.1, unit: 'hours' }, ms)).toBe(3_960_000);
});
