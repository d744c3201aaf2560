import { formatNanoUsd } from '../domain/money/nano-usd.ts';
import { PriceSheet } from '../domain/money/price-sheet.ts';
import { createAccount } from '../engine/admin/accounts/change-accounts.ts';
import { createChannel } from '../engine/admin/channels/change-channels.ts';
import { createKey } from '../engine/admin/keys/change-keys.ts';
import { declareModel } from '../engine/admin/models/change-models.ts';
import { ModelFacts } from '../engine/directory/model-facts.ts';
import { SERVING_ONLY } from '../engine/ports/directory-store.ts';
import type { ProviderManifest } from '../providers/manifest.ts';
import { CAPTURED_ACCOUNT } from './captures.ts';
import { channelInput, DEMO_CHANNELS, sandboxInput } from './channels.ts';
import type { Customer, DemoKey } from './customers.ts';
import { clockAt, type DemoActor, type DemoContext, originOf, storeAt } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { budgetInput, type PlannedGrant, roundNanoUsd, type Spending } from './spending.ts';

/** The prices of DeepSeek's model before and after a change in the demo's time. */
const PRICES_BEFORE = { input_per_1m: '0.4', cached_input_per_1m: '0.01', output_per_1m: '1.6' };
const PRICES_SINCE = { input_per_1m: '0.3', cached_input_per_1m: '0.006', output_per_1m: '1.2' };

/** Creates the shared channels, and the operator's declarations of models. */
export async function demoServing(context: DemoContext, operator: DemoActor, fromMs: number): Promise<void> {
  const { providers, time } = context;
  let atMs = fromMs;
  const next = () => {
    atMs += 7 * 60_000;
    return storeAt(context, atMs, originOf(context, operator)).directory;
  };
  for (const channel of DEMO_CHANNELS) {
    if (channel.owner === undefined) await createChannel(next(), providers, channelInput(channel));
  }
  const ownModels = (providers.get('sandbox')?.models?.() ?? []).map(({ id }) => id);
  await createChannel(next(), providers, sandboxInput(ownModels));
  const changedAt = new Date(time.at(0.6)).toISOString();
  const declared = [
    { id: 'deepseek-v4-flash', pricing: [PRICES_BEFORE, { effective_from: changedAt, ...PRICES_SINCE }] },
    { id: 'suno_music', name: 'Suno Music', category: 'music', pricing: { per_clip: '0.12' } },
    { id: 'deepseek-v4-pro', status: 'hold', description: 'On hold until the trial is over.' },
    { id: 'gpt-6-luna', tags: ['cheap', 'house-choice'] },
  ];
  for (const model of declared) await declareModel(next(), clockAt(atMs), model);
}

/** Returns the models' prices, found in the same way as by the gateway. */
export async function pricesOf({ store, providers }: DemoContext): Promise<(modelId: string) => PriceSheet | null> {
  const { channels, models, syncedModels } = await store.directory.read(SERVING_ONLY);
  const facts = new ModelFacts(providers as ReadonlyMap<string, ProviderManifest>, syncedModels);
  const shared = channels
    .filter(({ owner }) => owner === null)
    .sort((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
  const known = new Map<string, PriceSheet | null>();
  return (modelId) => {
    if (!known.has(modelId)) {
      const channel = shared.find((one) => Object.hasOwn(one.models, modelId)) ?? null;
      const declared = models.find(({ id }) => id === modelId);
      known.set(modelId, PriceSheet.parse(facts.resolve(modelId, channel, declared).pricing));
    }
    return known.get(modelId) ?? null;
  };
}

export interface CustomerScene {
  readonly operator: DemoActor;
  readonly customer: Customer;
  readonly spending: Spending;
  /** The first grant is the opening balance. */
  readonly grants: readonly PlannedGrant[];
  readonly atMs: number;
}

/** Creates an account with its keys and tokens, except those created later. */
export async function demoAccount(context: DemoContext, scene: CustomerScene): Promise<void> {
  const { customer, operator, spending, grants, atMs } = scene;
  const { time } = context;
  const { id, name, role, billing, budget } = customer;
  const opening = grants[0]?.amountNanoUsd;
  await createAccount(storeAt(context, atMs, originOf(context, operator)), clockAt(atMs), {
    ...{ id, name, role, billing },
    ...(customer.requestsPerMinute !== undefined && { requests_per_minute: customer.requestsPerMinute }),
    ...(customer.tokensPerMinute !== undefined && { tokens_per_minute: customer.tokensPerMinute }),
    ...(customer.maxConcurrent !== undefined && { max_concurrent: customer.maxConcurrent }),
    ...(id === CAPTURED_ACCOUNT && { capture: 'full' as const }),
    ...(budget !== undefined && { budget: budgetInput(budget, spending.ofAccount.get(id) ?? 0n, time) }),
    ...(billing === 'prepaid' && opening !== undefined && { balance_usd: formatNanoUsd(opening) }),
  });
  for (const [index, key] of customer.keys.entries()) {
    if (key.madeAt === undefined) await demoKey(context, scene, key, atMs + (index + 1) * HOUR_MS);
  }
  for (const token of customer.tokens ?? []) {
    const madeAtMs = atMs + 2 * DAY_MS;
    const { directory } = storeAt(context, madeAtMs, originOf(context, operator));
    await createKey(directory, clockAt(madeAtMs), { accountId: id, kind: 'management' }, token);
  }
}

export async function demoKey(
  context: DemoContext,
  { customer, operator, spending }: Pick<CustomerScene, 'customer' | 'operator' | 'spending'>,
  key: DemoKey,
  atMs: number,
): Promise<void> {
  const { time } = context;
  const { id, name, limitFactor, budget, models, requestsPerMinute, expiresAt } = key;
  const spent = spending.ofKey.get(`${customer.id}/${id}`) ?? 0n;
  const { directory } = storeAt(context, atMs, originOf(context, operator));
  await createKey(
    directory,
    clockAt(atMs),
    { accountId: customer.id, kind: 'inference' },
    {
      ...{ id, name },
      ...(limitFactor !== undefined && { limit_usd: formatNanoUsd(roundNanoUsd(spent, limitFactor)) }),
      ...(budget !== undefined && { budget: budgetInput(budget, spent, time) }),
      ...(models !== undefined && { models }),
      ...(requestsPerMinute !== undefined && { requests_per_minute: requestsPerMinute }),
      ...(expiresAt !== undefined && { expires_at: new Date(time.at(expiresAt)).toISOString() }),
    },
  );
}

/** Creates accounts' own channels, as their owner. */
export async function privateChannels(context: DemoContext, owner: DemoActor, atMs: number): Promise<void> {
  for (const channel of DEMO_CHANNELS) {
    if (channel.owner === undefined) continue;
    const { directory } = storeAt(context, atMs, originOf(context, owner));
    await createChannel(directory, context.providers, channelInput(channel));
  }
}
