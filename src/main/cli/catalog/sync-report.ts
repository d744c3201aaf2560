import type { SyncReport } from '../../../engine/admin/catalog/change-catalog.ts';
import { describeChanges } from '../../../engine/price-lists/describe-changes.ts';
import type { PriceList } from '../../../engine/price-lists/price-list-model.ts';
import type { CatalogSync, SyncRequest } from '../../../engine/price-lists/sync-catalog.ts';
import { printable } from '../table.ts';

const NAMES = { litellm: "LiteLLM's list", 'models.dev': "models.dev's list" } as const;

/** Formats one changed fact per line, followed by statistics about the list. */
export function formatSyncReport({ sync, request, ownStatement }: SyncReport, maximumLines: number): string {
  const { changes } = sync;
  const lines = [
    ...describeChanges(changes, { maximumLines, ownStatement }),
    ...summaryOf(sync, request),
    ...refusedOf(sync),
    ...malformedOf(request.list),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Formats `1 change`, `2 changes`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function summaryOf({ changes, newerPrices }: CatalogSync, { list, includeNew, source }: SyncRequest): string[] {
  const { changed, added, unchanged, unknownCount } = changes;
  const counts = `${changed.length} changed, ${added.length} new, ${unchanged} unchanged`;
  const lines = [`${NAMES[list.kind]} of ${source.date}: ${counts}, ${unknownCount} unknown, ${list.skipped} skipped`];
  if (unknownCount > 0) lines.push(includeNew ? UNKNOWN_LEFT : UNKNOWN);
  if (newerPrices.length > 0) {
    const count = countOf(newerPrices.length, 'price');
    lines.push(`${count} kept: the catalog's are newer than the list; --as-of sets another date than ${source.date}`);
  }
  return lines;
}

const UNKNOWN = 'unknown: models missing from the catalog; --add adds those with a category, except deprecated ones';
const UNKNOWN_LEFT = 'unknown: models that the list gives no category for, or marks as deprecated';

const NAMED_REFUSED = 5;

function refusedOf({ changes: { refused } }: CatalogSync): string[] {
  if (refused.length === 0) return [];
  const first = refused.slice(0, NAMED_REFUSED);
  const more = refused.length - first.length;
  return [
    `refused: implausible prices of ${countOf(refused.length, 'model')}`,
    ...first.map(({ model, problem }) => `refused: ${model.provider} ${model.id}: ${problem}`),
    ...(more > 0 ? [`refused: and ${more} more`] : []),
  ];
}

function malformedOf({ malformed, firstMalformed }: PriceList): string[] {
  if (malformed === 0) return [];
  const more = malformed - firstMalformed.length;
  return [...firstMalformed.map((text) => `malformed: ${text}`), ...(more > 0 ? [`malformed: and ${more} more`] : [])];
}
