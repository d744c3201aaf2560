import { expect, test } from 'bun:test';
import type { SettingSections } from '../../ports/settings-store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { LiveBranding } from './live-branding.ts';

/** A store whose content and state the test sets, which counts its reads. */
function scene(written: object = {}) {
  const clock = new FakeClock();
  const state = { stored: {} as SettingSections, isAway: false, reads: 0 };
  const warnings: string[] = [];
  const settings = {
    read: async () => {
      state.reads++;
      if (state.isAway) throw new Error('away');
      return state.stored;
    },
  };
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const branding = new LiveBranding({ settings, written: { ...written }, clock, logger });
  return { clock, state, warnings, branding };
}

test('a change is seen within two seconds, and the store is not read for each page', async () => {
  const { branding, state, clock } = scene();
  expect(await branding.current()).toMatchObject({ name: 'Switchyard', version: null });
  state.stored = { branding: { name: 'Acme AI' } };
  await Promise.all([branding.current(), branding.current()]);
  expect([(await branding.current()).name, state.reads]).toEqual(['Switchyard', 1]);
  clock.advance(2_000);
  const [one, other] = await Promise.all([branding.current(), branding.current()]);
  expect([one.name, other.name, state.reads]).toEqual(['Acme AI', 'Acme AI', 2]);
  state.stored = { branding: { name: 'Beta' } };
  expect((await branding.current(0)).name).toBe('Beta');
  expect((await branding.current()).version).not.toBe(one.version);
});

test('the file wins, and an invalid stored section is ignored', async () => {
  const { branding, state } = scene({ name: 'From the file' });
  state.stored = { branding: { name: 'Stored', accent_color: '#C2335F' } };
  expect(await branding.current()).toMatchObject({ name: 'From the file', accentColor: '#c2335f' });
  state.stored = { branding: { accent_color: 'red', later: true } };
  expect(await branding.current(0)).toMatchObject({ name: 'From the file', accentColor: null });
});

test('the last branding stays while the store is away', async () => {
  const { branding, state, warnings, clock } = scene();
  state.isAway = true;
  expect((await branding.current()).name).toBe('Switchyard');
  state.isAway = false;
  state.stored = { branding: { name: 'Acme AI', support_address: 'help@acme.example' } };
  clock.advance(2_000);
  expect(await branding.current()).toMatchObject({ name: 'Acme AI', supportUrl: 'mailto:help@acme.example' });
  state.isAway = true;
  clock.advance(2_000);
  expect([(await branding.current()).name, warnings.length]).toEqual(['Acme AI', 2]);
});
