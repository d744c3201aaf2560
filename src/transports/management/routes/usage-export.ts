import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { LARGEST_PAGE } from '../../../engine/admin/page.ts';
import { sumUsage, usageView } from '../../../engine/admin/usage/read-usage.ts';
import { MOST_ROWS } from '../../../engine/admin/usage/usage-spans.ts';
import { CSV_TYPE, csvRow } from '../csv.ts';
import { type ManagementRoute, route } from '../route.ts';
import { keptNow, rangeOf, SUMS_QUERY, type UsageRoutesOptions } from './usage-queries.ts';

const FORMATS = { csv: CSV_TYPE, jsonl: 'application/jsonl' } as const;
const QUERY = SUMS_QUERY.extend({
  format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'The default is `csv`.' }),
});

type Row = ReturnType<typeof usageView>['data'][number];
type Cell = string | number | null;

const GROUPS = {
  account: 'account',
  key: 'key',
  model: 'model',
  channel: 'channel',
  status: 'status',
} as const satisfies Record<string, keyof Row>;
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
      `${LARGEST_PAGE} accounts. Keys of an account have their names.`,
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
      const { data } = usageView(summed);
      const names = groupBy.includes('key') && accountId !== null ? await keyNames(options, accountId) : null;
      const body =
        format === 'csv' ? csvOf(data, groupBy, names) : data.map((row) => `${JSON.stringify(row)}\n`).join('');
      const days = [range.fromMs, range.toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
      const name = ['usage', ...(accountId === null ? [] : [accountId]), ...days].join('-');
      return {
        raw: { contentType: FORMATS[format], body },
        headers: { 'content-disposition': `attachment; filename="${name}.${format}"` },
      };
    },
  });
}

function csvOf(rows: readonly Row[], groupBy: readonly string[], names: ReadonlyMap<string, string> | null): string {
  const columns: Record<string, (row: Row) => Cell> = { from: ({ from }) => from, to: ({ to }) => to };
  for (const group of groupBy) {
    const id = Object.hasOwn(GROUPS, group) ? GROUPS[group as keyof typeof GROUPS] : null;
    columns[group] = (row) => (id === null ? row.tag : row[id]) ?? null;
    if (group === 'key' && names !== null) columns.key_name = ({ key }) => (key ? (names.get(key) ?? null) : null);
  }
  for (const measure of MEASURES) columns[measure] = (row) => row[measure] ?? null;
  const line = (row: Row) => csvRow(Object.values(columns).map((cell) => cell(row)));
  return csvRow(Object.keys(columns)) + rows.map(line).join('');
}

/** Resolves to the names of an account's keys, at most one page of them. */
async function keyNames({ store }: UsageRoutesOptions, accountId: string): Promise<ReadonlyMap<string, string>> {
  const keys = await store.directory.credentials({ accountId, kind: 'inference', after: null, limit: LARGEST_PAGE });
  return new Map(keys.map(({ id, name }) => [id, name]));
}
