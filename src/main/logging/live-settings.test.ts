import { afterEach, expect, test } from 'bun:test';
import type { SettingFields, SettingSections } from '../../engine/ports/settings-store.ts';
import { LiveLogSettings } from './live-settings.ts';
import { createLogger } from './logger.ts';

let live: LiveLogSettings | null = null;
afterEach(() => live?.close());

function running(layers: { stated?: SettingFields; written?: SettingFields }) {
  const events: unknown[] = [];
  const logger = createLogger('info', { write: (line) => void events.push(JSON.parse(line).event) });
  let stored: SettingSections | Error = {};
  const settings = {
    read: async () => {
      if (stored instanceof Error) throw stored;
      return stored;
    },
  };
  live = new LiveLogSettings({ logger, settings, stated: layers.stated ?? {}, written: layers.written ?? {} });
  const store = (next: SettingSections | Error) => {
    stored = next;
  };
  return { live, logger, events, store };
}

test('a level that is set over the API applies to a running gateway, and goes when it is removed', async () => {
  const { live, logger, events, store } = running({ stated: { level: 'warn' } });
  await live.look();
  logger.info({}, 'request');
  store({ logs: { level: 'info,requests=debug' } });
  await live.look();
  logger.debug({}, 'request without a valid API key');
  store({});
  await live.look();
  logger.info({}, 'request');
  expect(events).toEqual(['log_settings_changed', 'request_without_key']);
});

test('the file wins over the API, and a reload applies it', async () => {
  const { live, logger, events, store } = running({ written: { level: 'error' } });
  store({ logs: { level: 'debug' } });
  await live.look();
  logger.info({}, 'request');
  await live.reloaded({ level: 'info' });
  logger.info({}, 'request');
  expect(events).toEqual(['log_settings_changed', 'request']);
});

test('without the database the last settings stay', async () => {
  const { live, logger, events, store } = running({});
  store({ logs: { level: 'silent' } });
  await live.look();
  store(new Error('away'));
  await live.look();
  logger.error({}, 'internal error');
  expect(events).toEqual([]);
});
