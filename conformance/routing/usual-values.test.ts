import { afterAll, beforeAll, expect, test } from 'bun:test';
import { channelTo } from '../first-light/upstream.ts';
import { ACME, type RoutingBed, startRoutingBed } from './bed.ts';
import { counts, forgetAll, unavailable, upstreamsNamed } from './upstreams.ts';

/*
 * Channels that would lose a part of a request are tried after those that would not. The first channel of each model
 * speaks another format than the client, the second one the client's own, so the order shows whether something would be
 * lost.
 */

const upstreams = upstreamsNamed('foreign', 'own');
let bed: RoutingBed;

const FOREIGN: readonly (readonly [format: string, channel: object])[] = [
  ['cohere-chat', { provider: 'cohere' }],
  ['anthropic-messages', { provider: 'anthropic' }],
  ['gemini', { provider: 'google' }],
  ['openai-responses', { provider: 'openai', formats: ['openai-responses'] }],
  ['bedrock-converse', { provider: 'bedrock', formats: ['bedrock-converse'], settings: { region: 'us-east-1' } }],
];
const MODELS = FOREIGN.map(([format]) => `via-${format}`);

beforeAll(async () => {
  upstreams.foreign.answer = unavailable;
  const foreign = FOREIGN.map(([format, channel]) =>
    channelTo(upstreams.foreign, { id: format, models: [`via-${format}`], priority: 1, ...channel }),
  );
  const own = channelTo(upstreams.own, { id: 'own', models: MODELS, priority: 2 });
  bed = await startRoutingBed({ channels: [...foreign, own] });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
const USUAL = {
  ...{
    frequency_penalty: 0,
    presence_penalty: 0,
    logit_bias: {},
    n: 1,
    stop: [],
    metadata: {},
    temperature: 1,
    top_k: 0,
  },
  ...{ verbosity: 'medium', service_tier: 'auto', modalities: ['text'], response_format: { type: 'text' } },
  ...{ tools: TOOLS, tool_choice: 'auto', parallel_tool_calls: true, logprobs: false },
};

async function asked(model: string, knobs: object): Promise<readonly number[]> {
  forgetAll(upstreams);
  const response = await fetch(`${bed.serving.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...knobs }),
  });
  expect(await response.text()).toContain('An answer');
  expect(response.headers.get('x-switchyard-losses')).toBeNull();
  return counts(upstreams);
}

test.each(MODELS)('default values do not change the order of channels: %s', async (model) => {
  expect(await asked(model, { logit_bias: { 50256: 5 } })).toEqual([0, 1]);
  expect(await asked(model, USUAL)).toEqual([1, 1]);
});
