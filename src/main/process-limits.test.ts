import { expect, test } from 'bun:test';
import { RUNTIME_SETTINGS, restartWithSettings, withSettings } from './process-limits.ts';

test('a restarted process does not restart again, also if a setting was empty', () => {
  for (const environment of [{}, { BUN_CONFIG_MAX_HTTP_REQUESTS: '' }, { MIMALLOC_PURGE_DELAY: '' }]) {
    const restarted = withSettings({ ...environment, HOME: '/home', EMPTY: '', MISSING: undefined });
    expect(restarted).toEqual({ ...RUNTIME_SETTINGS, HOME: '/home', EMPTY: '' });
    expect(restartWithSettings(['serve'], restarted)).toBeNull();
  }
});

test('a restarted process keeps the settings that an operator has chosen', () => {
  const own = { BUN_CONFIG_MAX_HTTP_REQUESTS: '12', MIMALLOC_PURGE_DELAY: '0', BUN_JSC_heapGrowthMaxIncrease: '2' };
  expect(withSettings(own)).toEqual(own);
});
