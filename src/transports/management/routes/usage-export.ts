import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { LARGEST_PAGE } from '../../../engine/admin/page.ts';
import { sumUsage, usageView } from '../../../engine/admin/usage/read-usage.ts';
import { MOST_ROWS } from '../../../engine/admin/usage/usage-spans.ts';
import { CSV_TYPE, csvRow } from '../csv.ts';
import { type ManagementRoute, route } from '../route.ts';
import { keptNow, rangeOf, SUMS_QUERY, type UsageRoutesOptions, withNames } from './usage-queries.ts';

const FORMATS = { csv: CSV_TYPE, jsonl: 'application/jsonl' } as const;
const QUERY = SUMS_QUERY.extend({
  format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'The default is `csv`.' }),
});

type Row = Awaited<ReturnType<typeof withNames<ReturnType<typeof usageView>['data'][number]>>>[number];
type Cell = string | number | null;

/** The columns of each group; those of others are the value of the tag. */
const GROUPS: Readonly<Record<string, readonly (keyof Row)[]>> = {
  account: ['account', 'account_name'],
  key: ['key', 'key_name'],
  model: ['model'],
  channel: ['channel', 'channel_name'],
  status: ['status'],
};
const MEASURES = [
  ...['requests', 'errors', 'cache_hits', 'input_tokens', 'cached_input_tokens', 'cache_write_tokens', 'output_tokens'],
  ...['reasoning_tokens', 'latency_ms', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'first_byte_ms'],
  ...['cost_usd', 'saved_usd', 'unpriced_requests'],
] as readonly (keyof Row)[];

export function usageExportRoute(options: UsageRoutesOptions): ManagementRoute {
  const { store, clock } = options;
  return route({
    ...{ method: 'get', path: '/usage/export', operationId: 'exportUsage', tag: 'Usage', query: QUERY },
    summary: 'Export usage sums',
    description:
      `The sums of \`/usage\` with percentiles as a file: CSV with a header row, or one JSON object per line. At most ${MOST_ROWS} rows, and ` +
      `${LARGEST_PAGE} accounts. Accounts, keys and channels have their names, too.`,
    access: { who: 'account', role: 'viewer', scope: 'usage:read', orAll: true },
    answer: { description: 'The sums', schema: z.string(), contentType: ['text/csv', 'application/jsonl'] },
    handle: async ({ accountId, query }) => {
      const {
        from,
        to,
        time_zone: timeZone = DEFAULT_TIME_ZONE,
        group_by: groupBy = [],
        format = 'csv',
        ...rest
      } = query;
      const range = { ...rangeOf(from, to, clock), kept: await keptNow(options) };
      const wanted = { accountId, ...range, timeZone, groupBy, ...rest, percentiles: true, limit: LARGEST_PAGE };
      const summed = await sumUsage(store, wanted);
      if (summed.next !== null) {
        const message = `would export more than ${LARGEST_PAGE} accounts; name one with account_id`;
        throw new AdminError('invalid_value', 'group_by', message);
      }
      const rows = await withNames(store, usageView(summed).data, accountId);
      const body = format === 'csv' ? csvOf(rows, groupBy) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      const days = [range.fromMs, range.toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
      const name = ['usage', ...(accountId === null ? [] : [accountId]), ...days].join('-');
      return {
        raw: { contentType: FORMATS[format], body },
        headers: { 'content-disposition': `attachment; filename="${name}.${format}"` },
      };
    },
  });
}

function csvOf(rows: readonly Row[], groupBy: readonly string[]): string {
  const columns = new Map<string, (row: Row) => Cell>();
  const add = (name: keyof Row) => columns.set(name, (row) => row[name] ?? null);
  add('from');
  add('to');
  for (const group of groupBy) {
    const names = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
    if (names === undefined) columns.set(group, ({ tag }) => tag ?? null);
    else names.forEach(add);
  }
  MEASURES.forEach(add);
  const line = (row: Row) => csvRow([...columns.values()].map((cell) => cell(row)));
  return csvRow([...columns.keys()]) + rows.map(line).join('');
}
