import { expect, test } from 'bun:test';
import { type ChannelValues, changesOf, creationOf, NEW_CHANNEL } from './form-values.ts';

const FILLED: ChannelValues = {
  ...NEW_CHANNEL,
  ...{ name: ' Ours ', provider: 'openai', api_key: 'sk-x', weight: '2.5', priority: 'first' },
  timeouts: { ...NEW_CHANNEL.timeouts, connect_ms: '500' },
  models: [{ id: 'fast', upstream: 'gpt-5-mini' }],
};

test('a new channel says what was filled in alone, and wrong numbers as they are', () => {
  expect(creationOf(FILLED, undefined)).toEqual({
    ...{ name: 'Ours', provider: 'openai', api_key: 'sk-x', weight: 2.5, priority: 'first' as never },
    timeouts: { connect_ms: 500 },
    models: { fast: 'gpt-5-mini' },
  });
});

test('a change says what is another one now; a key that is not typed anew stays', () => {
  const shown = { ...FILLED, api_key: '', base_url: 'https://a.example', formats: ['openai-chat'] };
  expect(changesOf(shown, { ...shown }, undefined)).toEqual({});
  expect(changesOf(shown, { ...shown, base_url: '', formats: [], api_key: 'sk-new' }, undefined)).toEqual({
    ...{ base_url: null, formats: null, api_key: 'sk-new' },
  });
  const other = { ...shown, timeouts: { ...shown.timeouts, idle_ms: '9' } };
  expect(changesOf(shown, other, undefined)).toEqual({ timeouts: { connect_ms: 500, idle_ms: 9 } });
});
