import type { Model, ModelCategory, ModelPricing, ModelStatus, Origin } from '../../../domain/catalog/model.ts';
import type { Strategy } from '../../../domain/routing/strategy.ts';
import { fromJson, toNullableJson } from './encoding.ts';

export interface ModelRow {
  readonly id: string;
  readonly category: ModelCategory;
  readonly owned_by: string;
  readonly status: ModelStatus;
  readonly pricing: string | null;
  readonly strategy: Strategy | null;
  readonly tags: string;
  readonly created_at_ms: number;
  readonly origin: Origin;
}

export function toModelRow(model: Model): ModelRow {
  return {
    id: model.id,
    category: model.category,
    owned_by: model.ownedBy,
    status: model.status,
    pricing: toNullableJson(model.pricing),
    strategy: model.strategy,
    tags: JSON.stringify(model.tags),
    created_at_ms: model.createdAtMs,
    origin: model.origin,
  };
}

export function fromModelRow(row: ModelRow): Model {
  return {
    id: row.id,
    category: row.category,
    ownedBy: row.owned_by,
    status: row.status,
    pricing: row.pricing === null ? null : fromJson<ModelPricing>(row.pricing),
    strategy: row.strategy,
    tags: fromJson<string[]>(row.tags),
    createdAtMs: row.created_at_ms,
    origin: row.origin,
  };
}
