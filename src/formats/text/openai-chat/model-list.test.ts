import { expect, test } from 'bun:test';
import { type ListedModel, openRouterMembers } from './model-list.ts';

const model = { id: 'm', name: 'M', description: null, capabilities: null } as ListedModel['model'];
const pricingOf = (prices: ListedModel['prices']) => openRouterMembers({ model, prices });

test('prices are those of one token, with all digits', () => {
  const prices = { input_per_1m: '0.371300000000000001', output_per_1m: '1000000', per_web_search: '0.01' };
  expect(pricingOf({ prices, tiers: [], untilMs: null })).toMatchObject({
    pricing: { prompt: '0.000000371300000000000001', completion: '1', web_search: '0.01' },
  });
});

test('an unknown price is not zero', () => {
  expect(pricingOf(null)).toMatchObject({ pricing: { prompt: '-1', completion: '-1' } });
  expect(pricingOf('free')).toMatchObject({ pricing: { prompt: '0', completion: '0' } });
});

test('capabilities become modalities and parameters', () => {
  const capabilities = {
    ...{ input: ['text', 'image'], output: ['text'], features: ['json_mode', 'structured_output'] },
    ...{ contextTokens: 8_000, maxOutputTokens: 500, dimensions: null },
  } as ListedModel['model']['capabilities'];
  expect(openRouterMembers({ model: { ...model, capabilities }, prices: null })).toMatchObject({
    context_length: 8_000,
    architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'] },
    top_provider: { max_completion_tokens: 500 },
    supported_parameters: ['response_format', 'structured_outputs'],
  });
});
