import type { ListedFacts, SyncedModel } from '../../../domain/catalog/synced-model.ts';
import type { PriceSource } from '../../../domain/money/pricing.ts';
import { fromJson } from './encoding.ts';

export interface SyncedModelRow {
  readonly provider: string;
  readonly id: string;
  readonly facts: string;
  readonly source: string;
}

export function toSyncedModelRow({ provider, id, facts, source }: SyncedModel): SyncedModelRow {
  return { provider, id, facts: JSON.stringify(facts), source: JSON.stringify(source) };
}

export function fromSyncedModelRow(row: SyncedModelRow): SyncedModel {
  const [facts, source] = [fromJson<ListedFacts>(row.facts), fromJson<PriceSource>(row.source)];
  return { provider: row.provider, id: row.id, facts, source };
}
