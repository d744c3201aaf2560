import { expect, test } from 'bun:test';
import type { Channel, Provider } from '../../../api/schema.ts';
import { type ChannelValues, changesOf, creationOf, isSeconds, NEW_CHANNEL, valuesOf } from './form-values.ts';

const FILLED: ChannelValues = {
  ...NEW_CHANNEL,
  ...{ name: ' Ours ', provider: 'openai', api_key: 'sk-x', weight: '2.5', priority: 'first' },
  timeouts: { ...NEW_CHANNEL.timeouts, connect_ms: '0.5' },
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
  expect(changesOf(shown, other, undefined)).toEqual({ timeouts: { connect_ms: 500, idle_ms: 9_000 } });
});

const TIMES = { connect_ms: 3_000, first_byte_ms: 600_000, idle_ms: 600_000, first_event_ms: 120_000 };
const CHANNEL = {
  ...{ id: 'c', name: 'C', provider: 'p', base_url: null, formats: null, priority: 0, weight: 1 },
  settings: { region: 'eu', flags: ['a'], port: 8080, note: '5' },
  timeouts: {
    ...{ ...TIMES, event_idle_ms: 120_000, total_ms: 1_800_000 },
    models: { slow: { ...TIMES, event_idle_ms: 120_000, total_ms: 3_600_500 } },
  },
  breaker: {
    ...{ window_ms: 30_000, failure_rate: 0.55, minimum_requests: 5 },
    ...{ cooldown_ms: 2_000, max_cooldown_ms: 300_000, probes: 3 },
  },
  forward_ids: ['trace', 'request_id'],
  limits: {
    ...{ max_concurrent: 8, requests_per_minute: null, tokens_per_minute: null },
    models: { slow: { max_concurrent: null, requests_per_minute: 60, tokens_per_minute: null } },
  },
  queue: { max_waiting: 20, max_wait_ms: 10_000 },
  follow_provider_limits: true,
  batches: 'own',
  costs: { slow: { input_per_1m: '0.20' } },
  models: [{ id: 'slow', upstream_model: 'slow-1' }],
} as unknown as Channel;
const PROVIDER = {
  settings: { properties: { region: { type: 'string' }, flags: { type: 'array', items: { type: 'string' } } } },
} as unknown as Provider;

test('times are in seconds, the failure rate in percent, and everything else has fields', () => {
  const values = valuesOf(CHANNEL, PROVIDER);
  expect(values).toMatchObject({
    settings: { region: 'eu', flags: '["a"]' },
    other_settings: [
      { name: 'port', value: '8080' },
      { name: 'note', value: '"5"' },
    ],
    timeouts: { connect_ms: '3', total_ms: '1800' },
    model_timeouts: [{ model: 'slow', timeouts: { connect_ms: '', total_ms: '3600.5' } }],
    breaker: { window_ms: '30', failure_rate: '55', minimum_requests: '5', cooldown_ms: '2' },
    forward_ids: 'request_id,trace',
    limits: { max_concurrent: '8', requests_per_minute: '' },
    model_limits: [{ model: 'slow', limits: { max_concurrent: '', requests_per_minute: '60' } }],
    queue: { max_waiting: '20', max_wait_ms: '10' },
    costs: [{ model: 'slow', isFree: false }],
  });
  expect(changesOf(values, values, PROVIDER)).toEqual({});
  const after = {
    ...values,
    breaker: { ...values.breaker, failure_rate: '12.5', cooldown_ms: '0.25' },
    other_settings: values.other_settings.slice(0, 1),
    model_timeouts: [],
    forward_ids: 'none' as const,
    limits: { ...values.limits, tokens_per_minute: '90000' },
    queue: { max_waiting: '', max_wait_ms: '' },
    follow_provider_limits: false,
    costs: [],
  };
  const { timeouts } = CHANNEL;
  const { models: _models, ...own } = timeouts;
  expect(changesOf(values, after, PROVIDER)).toEqual({
    ...{ settings: { region: 'eu', flags: ['a'], port: 8080 }, timeouts: own, costs: null },
    forward_ids: [],
    limits: { max_concurrent: 8, tokens_per_minute: 90_000, models: { slow: { requests_per_minute: 60 } } },
    ...{ queue: null, follow_provider_limits: false },
    breaker: { ...CHANNEL.breaker, failure_rate: 0.125, cooldown_ms: 250 },
  });
});

test('a model keeps the timeout of its streams when only that of whole responses differs', () => {
  const models = { slow: { ...CHANNEL.timeouts.models.slow, first_byte_ms: 900_000 } };
  const channel = { ...CHANNEL, timeouts: { ...CHANNEL.timeouts, models } } as Channel;
  expect(valuesOf(channel, PROVIDER).model_timeouts[0]?.timeouts).toMatchObject({
    ...{ first_byte_ms: '900', first_event_ms: '120', idle_ms: '', event_idle_ms: '' },
  });
});

test.each([
  ['connect_ms', '', true],
  ['connect_ms', '0.001', true],
  ['connect_ms', '86400', true],
  ['connect_ms', '0.0005', false],
  ['connect_ms', '86401', false],
  ['connect_ms', 'soon', false],
  ['window_ms', '0.1', true],
  ['window_ms', '0.05', false],
])('%s of "%s" s is accepted: %p', (name, text, isAccepted) => {
  expect(isSeconds(name, text)).toBe(isAccepted);
});
