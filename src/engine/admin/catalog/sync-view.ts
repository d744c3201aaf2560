import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { CatalogSync, SyncRequest } from '../../price-lists/sync-catalog.ts';
import { catalogModelView } from '../models/model-view.ts';
import type { OwnStatement } from './own-statements.ts';

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
