import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { DeclaredModel, DeclaredPricing } from '../../../domain/catalog/model.ts';
import { PRICE_KEYS, type PricePeriod, type Prices, pricePeriods } from '../../../domain/money/pricing.ts';
import { sortedJson } from '../../../domain/text/json-text.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { flag } from '../../../providers/shared/file-fields.ts';
import { ModelFacts } from '../../directory/model-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import { type DirectoryRows, type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import type { Upstream } from '../../ports/upstream.ts';
import {
  downloadList,
  listJson,
  PriceListError,
  parseListUrl,
  publicAddress,
} from '../../price-lists/download-list.ts';
import { parsePriceList } from '../../price-lists/price-list.ts';
import { type CatalogSync, planSync, type SyncRequest, syncCatalog } from '../../price-lists/sync-catalog.ts';
import { AdminError } from '../admin-error.ts';
import { catalogModelView } from '../models/read-models.ts';
import { checkInput } from '../schema/check-input.ts';
import { isoTime } from '../view-fields.ts';

/** The addresses of the public lists. */
const LISTS: Readonly<Record<string, string>> = {
  litellm: 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
  'models.dev': 'https://models.dev/api.json',
};

/** The public lists have two MB. Parsing one blocks all requests of a gateway for a moment. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

const DAY = 'must be a valid date such as 2026-09-01';

export const syncSchema = z.strictObject({
  source: z.string({ error: 'must be litellm, models.dev, or the URL of such a list' }).meta({
    description: '`litellm`, `models.dev`, or the URL of a list in one of their formats, on the public internet.',
  }),
  add: flag.nullish().meta({ description: 'Also adds models that the catalog does not have.' }),
  prices_only: flag.nullish(),
  as_of: z
    .string({ error: DAY })
    .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text), { error: DAY })
    .nullish()
    .meta({ description: 'The date of the list, as `YYYY-MM-DD`. Defaults to the day on which the list was written.' }),
  apply: flag.nullish().meta({ description: 'Applies the changes. Otherwise they are only shown.' }),
  plan: z
    .string({ error: 'must be the "plan" of a response without apply' })
    .nullish()
    .meta({ description: 'With `apply`: the `plan` of the response that was reviewed.' }),
});

export interface SyncMeans {
  readonly directory: DirectoryStore;
  readonly providers: Providers;
  readonly upstream: Upstream;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Shows what a public list would change, or applies a shown plan: `plan` identifies the changes, and nothing is done if the list or the
 * catalog has changed since. Throws `AdminError`.
 */
export async function syncPublicList(means: SyncMeans, input: unknown) {
  const { directory, clock } = means;
  const wanted = checkInput(syncSchema, ['sync'], input);
  if (wanted.add === true && wanted.prices_only === true) {
    throw new AdminError('invalid_value', 'add', 'excludes prices_only');
  }
  if (wanted.apply === true && wanted.plan == null) {
    throw new AdminError(
      'invalid_value',
      'plan',
      'is required: send the same request without apply, review the response, and send its plan',
    );
  }
  const request = await requestFrom(means, wanted);
  const rows = await directory.read(SERVING_ONLY);
  const ownStatement = ownStatements(rows, new ModelFacts(means.providers, rows.syncedModels), clock.nowMs());
  const isApplied = wanted.apply === true;
  const sync = isApplied
    ? await syncCatalog(directory, request, (planned) => refuseOtherPlan(planned, wanted.plan ?? null))
    : planSync(rows.syncedModels, request);
  const report: SyncReport = { sync, request, ownStatement };
  return { plan: planOf(sync), changes: sync.rows.length, ...syncView(report, isApplied) };
}

async function requestFrom(means: SyncMeans, wanted: z.output<typeof syncSchema>): Promise<SyncRequest> {
  const { providers, upstream, clock } = means;
  const { source: named, as_of: asOf } = wanted;
  const url = parseListUrl(Object.hasOwn(LISTS, named) ? (LISTS[named] ?? '') : named);
  if (url === 'no_url')
    throw new AdminError('invalid_value', 'source', 'must be litellm, models.dev, or the URL of such a list');
  if (url === 'credentials')
    throw new AdminError('invalid_value', 'source', 'must not contain a user name or password');
  const nowMs = clock.nowMs();
  if (asOf != null && Date.parse(asOf) > nowMs)
    throw new AdminError('invalid_value', 'as_of', 'must not be in the future');
  try {
    const content = await downloadList(url, { upstream, isGuarded: true, maximumBytes: MAXIMUM_BYTES });
    const parsed = parsePriceList(listJson(publicAddress(url), content.bytes), providers);
    if (!parsed.ok) throw new PriceListError(parsed.problem);
    // A server's fast clock must not date the list in the future.
    const listedAtMs = Math.min(content.writtenAtMs ?? nowMs, nowMs);
    const source = { url: publicAddress(url), date: asOf ?? isoTime(listedAtMs).slice(0, 10) };
    const { add, prices_only: pricesOnly } = wanted;
    return { providers, list: parsed.list, includeNew: add === true, pricesOnly: pricesOnly === true, source };
  } catch (error) {
    if (error instanceof PriceListError) throw new AdminError('conflict', 'source', error.message);
    throw error;
  }
}

function isDay(text: string): boolean {
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && isoTime(atMs).startsWith(text);
}

function refuseOtherPlan(sync: CatalogSync, plan: string | null): void {
  if (planOf(sync) === plan) return;
  throw new AdminError('stale', 'plan', 'the list or the catalog changed after the review: review it again');
}

/** Returns an identifier that is equal for equal changes. */
function planOf({ rows }: CatalogSync): string {
  const text = sortedJson(rows);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns the value that a configuration or an operator has stated for a field of a change; `null` for none. */
type OwnStatement = (model: CatalogModel, field: string) => string | null;

/** Finds the statements that override a catalog line: those of declared public models that use it, through a channel or by id. */
export function ownStatements(rows: DirectoryRows, modelFacts: ModelFacts, nowMs: number): OwnStatement {
  const declaredOf = new Map<string, DeclaredModel[]>();
  for (const declared of rows.models) {
    for (const { provider, id } of linesBehind(declared.id, rows, modelFacts)) {
      const key = `${provider} ${id}`;
      declaredOf.set(key, [...(declaredOf.get(key) ?? []), declared]);
    }
  }
  return ({ provider, id }, field) => {
    for (const declared of declaredOf.get(`${provider} ${id}`) ?? []) {
      const stated = statedField(declared, field, nowMs);
      if (stated !== null) return declared.id === id ? stated : `${stated} for ${declared.id}`;
    }
    return null;
  };
}

function linesBehind(
  publicId: string,
  { channels }: DirectoryRows,
  modelFacts: ModelFacts,
): readonly Pick<CatalogModel, 'provider' | 'id'>[] {
  const served = channels.flatMap(({ provider, models }) => {
    const id = Object.hasOwn(models, publicId) ? models[publicId] : undefined;
    return id === undefined ? [] : [{ provider, id }];
  });
  const known = modelFacts.model(publicId);
  return served.length > 0 || known === undefined ? served : [known];
}

function statedField({ pricing, capabilities }: DeclaredModel, field: string, nowMs: number): string | null {
  const names = Object.keys(CAPABILITIES) as (keyof Capabilities)[];
  const name = names.find((one) => CAPABILITIES[one] === field);
  if (name === undefined) return statedPrice(pricing, field, nowMs);
  const value = capabilities?.[name];
  if (value === undefined) return null;
  return (typeof value === 'object' ? value?.join(', ') : String(value)) || 'none';
}

/** Stating one price of a model states all its prices: an omitted price is not charged. */
function statedPrice(pricing: DeclaredPricing, field: string, nowMs: number): string | null {
  const [name, bound] = field.split(' above ');
  const key = PRICE_KEYS.find((one) => one === name);
  if (key === undefined || pricing === null) return null;
  if (pricing === 'free') return pricing;
  if (pricing === 'unknown') return 'no price';
  const { prices, tiers } = periodAt(pricing, nowMs);
  const tier =
    bound === undefined ? undefined : tiers.findLast(({ aboveInputTokens }) => aboveInputTokens <= Number(bound));
  return tier?.prices[key] ?? prices[key] ?? 'none';
}

/** The names of capabilities in changes and configurations. */
export const CAPABILITIES: Readonly<Record<keyof Capabilities, string>> = {
  input: 'input',
  output: 'output',
  features: 'features',
  contextTokens: 'context',
  maxOutputTokens: 'max_output',
  dimensions: 'dimensions',
};

/** Returns the current price period, or the first one if none has begun. */
export function periodAt(pricing: Prices | readonly PricePeriod[], nowMs: number): PricePeriod {
  const periods = pricePeriods(pricing);
  const current = periods.findLast(({ effectiveFromMs }) => (effectiveFromMs ?? 0) <= nowMs) ?? periods[0];
  return current ?? { effectiveFromMs: null, prices: {}, tiers: [] };
}

export interface SyncReport {
  readonly sync: CatalogSync;
  readonly request: SyncRequest;
  readonly ownStatement: OwnStatement;
}

/** Returns the changes of a list as JSON; `yours` is a statement that overrides a changed fact, and stays in force. */
export function syncView({ sync, request, ownStatement }: SyncReport, isApplied: boolean) {
  const { changes, newerPrices } = sync;
  const { list, source } = request;
  return {
    list: list.kind,
    source,
    applied: isApplied,
    changed: changes.changed.map(({ model, before, fields }) => ({
      ...nameOf(model),
      fields: fields.map(({ field, from, to }) => ({ field, from, to, yours: ownStatement(before, field) })),
    })),
    added: changes.added.map(catalogModelView),
    measured_otherwise: changes.measuredOtherwise.map(nameOf),
    newer_prices: newerPrices.map(nameOf),
    refused: changes.refused.map(({ model, problem }) => ({ ...nameOf(model), problem })),
    unchanged: changes.unchanged,
    unknown: changes.unknownCount,
    skipped: list.skipped,
    malformed: list.malformed,
    first_malformed: list.firstMalformed,
  };
}

function nameOf({ provider, id }: CatalogModel) {
  return { provider, id };
}
