import { expect, test } from 'bun:test';
import { type ChannelValues, changesOf, creationOf, NEW_CHANNEL } from './form-values.ts';

const FILLED: ChannelValues = {
  ...NEW_CHANNEL,
  ...{ name: ' Ours ', provider: 'openai', api_key: 'sk-x', weight: '2.5', priority: 'first' },
  timeouts: { ...NEW_CHANNEL.timeouts, connect_ms: '500' },
  models: [{ id: 'fast', upstream: 'gpt-5-mini' }],
};

test('a new channel sends only the filled fields, and invalid numbers unchanged', () => {
  expect(creationOf(FILLED, undefined)).toEqual({
    ...{ name: 'Ours', provider: 'openai', api_key: 'sk-x', weight: 2.5, priority: 'first' as never },
    timeouts: { connect_ms: 500 },
    models: { fast: 'gpt-5-mini' },
  });
});

test('an update sends only changed fields, and a key that is not retyped stays', () => {
  const shown = { ...FILLED, api_key: '', base_url: 'https://a.example', formats: ['openai-chat'] };
  expect(changesOf(shown, { ...shown }, undefined)).toEqual({});
  expect(changesOf(shown, { ...shown, base_url: '', formats: [], api_key: 'sk-new' }, undefined)).toEqual({
    ...{ base_url: null, formats: null, api_key: 'sk-new' },
  });
  const other = { ...shown, timeouts: { ...shown.timeouts, idle_ms: '9' } };
  expect(changesOf(shown, other, undefined)).toEqual({ timeouts: { connect_ms: 500, idle_ms: 9 } });
});
