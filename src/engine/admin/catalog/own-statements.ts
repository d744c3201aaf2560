import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { DeclaredModel, DeclaredPricing } from '../../../domain/catalog/model.ts';
import { PRICE_KEYS } from '../../../domain/money/pricing.ts';
import type { ModelFacts } from '../../directory/model-facts.ts';
import type { DirectoryRows } from '../../ports/directory-store.ts';
import { CAPABILITIES, periodAt } from './stated-facts.ts';

/** Returns the value that a configuration or an operator has stated for a field of a change; `null` for none. */
export type OwnStatement = (model: CatalogModel, field: string) => string | null;

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
