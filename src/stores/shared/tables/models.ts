import type { CacheOverrides } from '../../../domain/cache/cache.ts';
import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../../domain/catalog/category.ts';
import type { DeclaredModel, DeclaredPricing, ModelStatus, Origin } from '../../../domain/catalog/model.ts';
import type { ModelOperation } from '../../../domain/catalog/model-operation.ts';
import type { ModelRule } from '../../../domain/routing/model-rule.ts';
import type { Strategy } from '../../../domain/routing/order.ts';
import { type Flag, fromJson, toFlag, toNullableJson } from './encoding.ts';

export interface ModelRow {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly category: ModelCategory | null;
  readonly owned_by: string | null;
  /** Also `public` if not declared, since nodes of an earlier version read it that way. */
  readonly status: ModelStatus;
  readonly status_stated: Flag;
  readonly pricing: string | null;
  readonly strategy: Strategy | null;
  readonly cache: string | null;
  readonly tags: string | null;
  readonly capabilities: string | null;
  readonly operations: string | null;
  readonly rules: string | null;
  readonly fallbacks: string | null;
  readonly guards: string | null;
  readonly search: string | null;
  readonly batch_price_percent: number | null;
  readonly created_at_ms: number;
  readonly origin: Origin;
}

export function toModelRow(model: DeclaredModel): ModelRow {
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    category: model.category,
    owned_by: model.ownedBy,
    status: model.status ?? 'public',
    status_stated: toFlag(model.status !== null),
    pricing: toNullableJson(model.pricing),
    strategy: model.strategy,
    cache: toNullableJson(model.cache),
    tags: toNullableJson(model.tags),
    capabilities: toNullableJson(model.capabilities),
    operations: toNullableJson(model.operations),
    rules: toNullableJson(model.rules),
    fallbacks: model.fallbacks.length === 0 ? null : toNullableJson(model.fallbacks),
    guards: toNullableJson(model.guards ?? null),
    search: model.search ?? null,
    batch_price_percent: model.batchPricePercent,
    created_at_ms: model.createdAtMs,
    origin: model.origin,
  };
}

export function fromModelRow(row: ModelRow): DeclaredModel {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    ownedBy: row.owned_by,
    // Rows of earlier versions have `public` as their default. `hidden` was always declared.
    status: row.status === 'public' && row.status_stated === 0 ? null : row.status,
    pricing: row.pricing === null ? null : fromJson<DeclaredPricing>(row.pricing),
    strategy: row.strategy,
    cache: row.cache === null ? null : fromJson<CacheOverrides>(row.cache),
    tags: row.tags === null ? null : fromJson<string[]>(row.tags),
    capabilities: row.capabilities === null ? null : fromJson<Partial<Capabilities>>(row.capabilities),
    operations: row.operations === null ? null : fromJson<ModelOperation[]>(row.operations),
    rules: row.rules === null ? null : fromJson<ModelRule[]>(row.rules),
    fallbacks: row.fallbacks === null ? [] : fromJson<string[]>(row.fallbacks),
    ...(row.guards !== null && { guards: fromJson<string[]>(row.guards) }),
    ...(row.search !== null && { search: row.search }),
    batchPricePercent: row.batch_price_percent,
    createdAtMs: row.created_at_ms,
    origin: row.origin,
  };
}
