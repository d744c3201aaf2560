import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { Names } from '../../../engine/admin/names.ts';
import { overviewView, sumUsage, usageOverview, usageView } from '../../../engine/admin/usage/read-usage.ts';
import { MOST_ROWS } from '../../../engine/admin/usage/usage-spans.ts';
import { pageQuery } from '../list.ts';
import { flag } from '../read-query.ts';
import { type ManagementRoute, type PageQuery, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { NAMED } from './named-answers.ts';
import { DETAILED_SUMS, SUMS, SUMS_ON_REQUEST, USAGE_IDS } from './usage-answers.ts';
import { breakdownRoute } from './usage-breakdown.ts';
import { usageExportRoute } from './usage-export.ts';
import { keptNow, rangeOf, SUMS_QUERY, USAGE_FILTERS, type UsageRoutesOptions, withNames } from './usage-queries.ts';
import { endUserRoute, tagsRoute } from './usage-tags.ts';

const USAGE = z
  .object({
    object: z.literal('usage'),
    data: z.array(SUMS_ON_REQUEST.extend({ from: z.string(), to: z.string(), ...USAGE_IDS })),
    total: SUMS_ON_REQUEST,
    has_more: z.boolean().meta({ description: 'Only if grouped by account: whether more accounts follow.' }),
    next: z.string().nullable(),
  })
  .meta({ id: 'Usage' });

const QUERY = SUMS_QUERY.extend({
  percentiles: flag('Whether the sums have percentiles of the latency.'),
  ...pageQuery.shape,
});

const MOST_TOP = 50;
const OVERVIEW_QUERY = z.strictObject({
  ...USAGE_FILTERS,
  bucket: USAGE_FILTERS.bucket.meta({ description: 'The intervals of `series`. The default is `day`.' }),
  top: z
    .string()
    .regex(/^([1-9]|[1-4]\d|50)$/, { error: `must be a whole number from 1 to ${MOST_TOP}` })
    .transform(Number)
    .optional()
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: MOST_TOP,
      description: 'The length of each list. The default is 5.',
    }),
});
const USUAL_TOP = 5;

const ID = z.string().nullable();
const ranked = <Id extends z.ZodRawShape>(id: Id) =>
  z.object({
    data: z.array(SUMS.extend(id)).meta({ description: 'The most expensive first.' }),
    others: SUMS.nullable().meta({ description: 'The sum of all others. `null` if there are none.' }),
  });

const SPAN = { from: z.string(), to: z.string() };
const OVERVIEW = z
  .object({
    object: z.literal('usage_overview'),
    ...SPAN,
    total: DETAILED_SUMS,
    previous: DETAILED_SUMS.extend(SPAN).meta({ description: 'The preceding period of the same length.' }),
    series: z.array(DETAILED_SUMS.extend(SPAN)).meta({ description: 'Intervals without usage are omitted.' }),
    models: ranked({ model: ID }),
    keys: ranked({ key: ID, ...NAMED.key })
      .nullable()
      .meta({ description: '`null` for the sum of all accounts.' }),
    accounts: ranked({ account: z.string(), ...NAMED.account })
      .nullable()
      .meta({ description: '`null` for a single account, and for periods older than `retention.ranking_days`.' }),
    channels: ranked({ channel: ID, ...NAMED.channel }),
    errors: z
      .array(z.object({ status: z.number().nullable(), errors: z.number() }))
      .meta({ description: 'Failed requests by HTTP status, the most frequent first.' }),
  })
  .meta({ id: 'UsageOverview' });

/** Returns `usage`: sums of requests, tokens and cost. */
export function usageRoutes(options: UsageRoutesOptions): readonly ManagementRoute[] {
  const { store, clock } = options;
  return [
    route({
      ...{ method: 'get', path: '/usage', operationId: 'getUsage', tag: 'Usage', query: QUERY },
      summary: 'Sum usage',
      description:
        `Up to date, and at most ${MOST_ROWS} rows. A request counts in the minute in which it ended. If an operator omits \`account_id\`, ` +
        `the sums cover all accounts; \`group_by=account\` returns the accounts in pages. ` +
        SHARED_READ,
      access: { who: 'account', role: 'viewer', scope: 'usage:read', orAll: true },
      answer: { description: 'Sums', schema: USAGE },
      handle: sharedRead(clock, async ({ accountId, query }: SharedCall<z.output<typeof QUERY> & PageQuery>) => {
        const { from, to, bucket, time_zone: timeZone = DEFAULT_TIME_ZONE, group_by: groupBy, ...rest } = query;
        const range = { ...rangeOf(from, to, clock), kept: await keptNow(options) };
        const summed = await sumUsage(store, { accountId, ...range, bucket, timeZone, groupBy, ...rest });
        const { data, total } = usageView(summed);
        const rows = await withNames(store, data, accountId);
        return { object: 'usage' as const, data: rows, total, has_more: summed.next !== null, next: summed.next };
      }),
    }),
    route({
      ...{
        method: 'get',
        path: '/usage/overview',
        operationId: 'getUsageOverview',
        tag: 'Usage',
        query: OVERVIEW_QUERY,
      },
      summary: 'Read the usage overview of a period',
      description:
        'Totals, those of the preceding period, a series, and the most expensive models, keys and channels, all from one snapshot. If an operator ' +
        'omits `account_id`, the sums cover all accounts, and the most expensive accounts replace the keys. ' +
        SHARED_READ,
      access: { who: 'account', role: 'viewer', scope: 'usage:read', orAll: true },
      answer: { description: 'The overview', schema: OVERVIEW },
      handle: sharedRead(clock, async ({ accountId, query }: SharedCall<z.output<typeof OVERVIEW_QUERY>>) => {
        const { from, to, bucket = 'day', time_zone: timeZone = DEFAULT_TIME_ZONE, top = USUAL_TOP, ...rest } = query;
        const wanted = {
          accountId,
          ...rangeOf(from, to, clock),
          kept: await keptNow(options),
          bucket,
          timeZone,
          top,
          ...rest,
        };
        const view = overviewView(await usageOverview(store.usage, wanted));
        const { keys, accounts, channels } = view;
        const ids = [...(keys?.data ?? []), ...(accounts?.data ?? []), ...channels.data];
        const names = await Names.of(store.directory, ids, accountId);
        return {
          ...{ object: 'usage_overview' as const, ...view },
          keys: keys && { ...keys, data: keys.data.map((row) => names.in(row, accountId)) },
          accounts: accounts && { ...accounts, data: accounts.data.map((row) => names.in(row)) },
          channels: { ...channels, data: channels.data.map((row) => names.in(row, accountId)) },
        };
      }),
    }),
    breakdownRoute(options),
    tagsRoute(options),
    endUserRoute(options),
    usageExportRoute(options),
  ];
}
