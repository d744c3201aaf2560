import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { OPENROUTER } from './frameworks.ts';
import { chosenClients } from './index.ts';
import { packagesOf } from './install.ts';

/* OpenRouter's SDK, and its provider for the AI SDK, with OpenRouter's base URL replaced: fallback models, costs, the key, errors. */

setDefaultTimeout(400_000);

const isChosen = chosenClients().includes(OPENROUTER);
const MODELS = ['sandbox-chat', 'sandbox-embedding'];
const messages = [{ role: 'user', content: 'Hello!' }];
const withFallback = { model: 'broken', models: ['sandbox-chat'] };
/** The costs that the answers to the key have told. */
let spentUsd = 0;
let space: Workspace;
let serving: Serving;
let folder: string;
let cutting: ReturnType<typeof startCuttingUpstream>;

beforeAll(async () => {
  if (!isChosen) return;
  folder = join(await packagesOf(OPENROUTER), 'node_modules');
  space = await Workspace.create();
  cutting = startCuttingUpstream();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    cache: { strategy: 'asked' },
    channels: [
      { id: 'sandbox', provider: 'sandbox', models: MODELS },
      {
        ...{ id: 'cutting', provider: 'openai-compatible', api_key: 'k', models: { cut: 'cut' } },
        base_url: `${cutting.url.origin}/v1`,
      },
      {
        ...{ id: 'down', provider: 'openai-compatible', api_key: 'k', models: { broken: 'broken' } },
        // Otherwise the failed requests would block the channel.
        breaker: { minimum_requests: 1_000 },
        base_url: `http://127.0.0.1:${await freePort()}/v1`,
      },
    ],
    models: [...MODELS, 'broken', 'cut'].map((id) => ({
      id,
      pricing: { input_per_1m: '0.3713', output_per_1m: '1.1117' },
    })),
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('limited', { limit_usd: '1' })], { requests_per_minute: 1_000 }),
      accountWith('poor', [keyNamed('poor')], { billing: 'prepaid', balance_usd: '0' }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await cutting?.stop(true);
});

/** An upstream whose streams fail after their first chunk. */
function startCuttingUpstream() {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'cut', usage: null };
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }];
  const events = [{ ...chunk, choices }, { error: { message: 'It broke off.', code: 500 } }];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  return Bun.serve({
    port: 0,
    fetch: ({ method }) =>
      method === 'POST' ? new Response(body, { headers }) : new Response('no such page', { status: 404 }),
  });
}

const load = (name: string) => import(Bun.resolveSync(name, folder));

async function sdkFor(apiKey: string) {
  const { OpenRouter } = await load('@openrouter/sdk');
  return new OpenRouter({ apiKey, serverURL: `${serving.origin}/api/v1`, retryConfig: { strategy: 'none' } });
}

async function providerFor(apiKey: string) {
  const { createOpenRouter } = await load('@openrouter/ai-sdk-provider');
  return createOpenRouter({ apiKey, baseURL: `${serving.origin}/api/v1` });
}

/** Adds a cost to the sum that the key is compared with, and returns whether there was one. */
function isCost(cost: unknown): boolean {
  spentUsd += Number(cost);
  return typeof cost === 'number' && cost > 0;
}

if (isChosen) {
  test('the SDK names fallback models and reads the cost, whole and streamed', async () => {
    const sdk = await sdkFor(clientKey('acme'));
    const whole = await sdk.chat.send({ chatRequest: { ...withFallback, messages } });
    expect([whole.model, isCost(whole.usage.cost)]).toEqual(['sandbox-chat', true]);
    for (const streamOptions of [undefined, { includeUsage: true }]) {
      const costs: unknown[] = [];
      const chatRequest = { models: ['broken', 'sandbox-chat'], messages, stream: true, streamOptions };
      for await (const { usage } of await sdk.chat.send({ chatRequest })) costs.push(...(usage ? [usage.cost] : []));
      expect([costs.length, costs.every(isCost)]).toEqual([1, true]);
    }
    const response = await sdk.responses.send({ responsesRequest: { ...withFallback, input: 'Hello!' } });
    expect([response.model, isCost(response.usage.cost)]).toEqual(['sandbox-chat', true]);
    expect(response.usage.costDetails.upstreamInferenceOutputCost).toBeGreaterThan(0);
    let last: { type: string; response?: { usage: { cost: number } } } = { type: '' };
    const responsesRequest = { model: 'sandbox-chat', input: 'Hello!', stream: true };
    for await (const event of await sdk.responses.send({ responsesRequest })) last = event;
    expect([last.type, isCost(last.response?.usage.cost)]).toEqual(['response.completed', true]);
    const { data } = await sdk.embeddings.generate({ requestBody: { model: 'sandbox-embedding', input: 'Hello!' } });
    expect(data).toHaveLength(1);
  });

  test("the AI SDK's provider does the same with its own options", async () => {
    const { generateText, streamText } = await load('ai');
    const provider = await providerFor(clientKey('acme'));
    const options = { models: ['sandbox-chat'], usage: { include: true } };
    const call = {
      model: provider('broken', options),
      ...{ prompt: 'Hello!', maxRetries: 0, providerOptions: { openrouter: { route: 'fallback' } } },
    };
    const whole = await generateText(call);
    expect([whole.response.modelId, isCost(whole.providerMetadata.openrouter.usage.cost)]).toEqual([
      ...['sandbox-chat', true],
    ]);
    const streamed = streamText(call);
    expect((await streamed.text).length).toBeGreaterThan(0);
    expect(isCost((await streamed.providerMetadata).openrouter.usage.cost)).toBe(true);
  });

  test('the SDK lists models, page by page', async () => {
    const sdk = await sdkFor(clientKey('acme'));
    const seen: [id: string, prompt: string][] = [];
    for await (const { result } of await sdk.models.list({ limit: 2 }))
      seen.push(
        ...result.data.map(({ id, pricing }: { id: string; pricing: { prompt: string } }) => [id, pricing.prompt]),
      );
    expect(seen.toSorted()).toEqual([...MODELS, 'broken', 'cut'].toSorted().map((id) => [id, '0.0000003713']));
  });

  test('the SDK reads the key and the credits', async () => {
    const sdk = await sdkFor(clientKey('acme'));
    await until('the key has spent what the answers told', async () => {
      const { data } = await sdk.apiKeys.getCurrentKeyMetadata();
      expect(data.usage).toBe(data.usageDaily);
      // The embedding is not among the costs.
      return data.usage >= spentUsd && data.usage < spentUsd + 1e-5;
    });
    const limited = await sdkFor(clientKey('limited'));
    expect((await limited.credits.getCredits()).data).toEqual({ totalCredits: 1, totalUsage: 0 });
  });

  test('the SDK recognizes errors', async () => {
    const chat = { model: 'sandbox-chat', messages };
    const CASES = [
      [clientKey('acme'), { ...chat, messages: [] }, 'BadRequestResponseError', 400],
      ['sk-wrong', chat, 'UnauthorizedResponseError', 401],
      [clientKey('poor'), chat, 'PaymentRequiredResponseError', 402],
      [clientKey('acme'), { ...chat, model: 'nothing' }, 'NotFoundResponseError', 404],
      [clientKey('acme'), { ...chat, model: 'broken' }, 'BadGatewayResponseError', 502],
      [clientKey('acme'), { ...chat, model: 'broken', stream: true }, 'BadGatewayResponseError', 502],
    ] as const;
    for (const [key, chatRequest, name, code] of CASES) {
      const sdk = await sdkFor(key);
      const error = await sdk.chat.send({ chatRequest }).catch((thrown: unknown) => thrown);
      expect([error.name, error.error?.code]).toEqual([name, code]);
    }
    const sdk = await sdkFor(clientKey('acme'));
    const chunks: { error?: { code: number; message: string } }[] = [];
    const chatRequest = { model: 'cut', messages, stream: true };
    for await (const part of await sdk.chat.send({ chatRequest })) chunks.push(part);
    expect([chunks.length, chunks[1]?.error]).toMatchObject([2, { code: 502, message: 'It broke off.' }]);
    for (const call of [
      () => sdk.credits.getCredits(),
      () => sdk.generations.getGeneration({ id: 'gen-1' }),
      () => sdk.images.generate({ imageGenerationRequest: { model: 'sandbox-image', prompt: 'a fox' } }),
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error.message).toMatch(/may not read the balance|does not serve/);
    }
    const { generateText } = await load('ai');
    const provider = await providerFor(clientKey('acme'));
    const asked = generateText({ model: provider('nothing'), prompt: 'Hello!', maxRetries: 0 });
    await expect(asked).rejects.toThrow('The model `nothing` does not exist');
  });
}
