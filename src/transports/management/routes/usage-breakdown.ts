import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { Names } from '../../../engine/admin/names.ts';
import { breakDownUsage, breakdownView } from '../../../engine/admin/usage/break-down-usage.ts';
import { BREAKDOWN_METRICS } from '../../../engine/admin/usage/usage-metrics.ts';
import { MOST_ROWS } from '../../../engine/admin/usage/usage-spans.ts';
import { type ManagementRoute, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { DETAILED_SUMS, USAGE_IDS } from './usage-answers.ts';
import { keptNow, rangeOf, USAGE_FILTERS, USAGE_GROUPS, type UsageRoutesOptions } from './usage-queries.ts';

const MOST_TOP = 50;
const USUAL_GROUPS = ['model'];
const USUAL_TOP = 10;
const USUAL_WITHIN = 5;

const rows = (usual: number) =>
  z
    .string()
    .regex(/^([1-9]|[1-4]\d|50)$/, { error: `must be a whole number from 1 to ${MOST_TOP}` })
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: MOST_TOP, description: `The default is ${usual}.` });

const QUERY = z.strictObject({
  ...USAGE_FILTERS,
  bucket: USAGE_FILTERS.bucket.meta({ description: 'The intervals of `series`. The default is `none`.' }),
  group_by: USAGE_GROUPS.optional().meta({
    type: 'string',
    description:
      'One or two of `key`, `model`, `channel`, `status`, `end_user` or `tag:<key>`, and for operators `account`, separated by a comma. The default is `model`.',
  }),
  metric: z.enum(BREAKDOWN_METRICS).optional().meta({ description: 'The metric of `series`. The default is `spend`.' }),
  rank_by: z
    .enum(BREAKDOWN_METRICS)
    .optional()
    .meta({ description: 'The metric by which groups are chosen and sorted. The default is `metric`.' }),
  top: rows(USUAL_TOP),
  top_within: rows(USUAL_WITHIN),
});

const VALUE = z
  .union([z.string(), z.number()])
  .nullable()
  .meta({ description: 'The metric: an amount in USD, a count, a fraction of 1 or milliseconds.' });
const ROW = DETAILED_SUMS.extend(USAGE_IDS);
const OTHERS = DETAILED_SUMS.nullable().meta({ description: 'The sums of all others. `null` if there are none.' });

const BREAKDOWN = z
  .object({
    object: z.literal('usage_breakdown'),
    from: z.string(),
    to: z.string(),
    group_by: z.array(z.string()),
    metric: z.enum(BREAKDOWN_METRICS),
    total: DETAILED_SUMS,
    data: z.array(ROW.extend({ within: z.object({ data: z.array(ROW), others: OTHERS }).nullable() })).meta({
      description:
        'The groups with the largest metric of `rank_by` first, each with those of the second group in `within`.',
    }),
    others: OTHERS,
    series: z
      .array(z.object({ from: z.string(), to: z.string(), total: VALUE, values: z.array(VALUE), others: VALUE }))
      .meta({ description: '`values` are in the order of `data`. Requests without the tag are part of `others`.' }),
  })
  .meta({ id: 'UsageBreakdown' });

const READ = { who: 'account', role: 'viewer', scope: 'usage:read', orAll: true } as const;

export function breakdownRoute(options: UsageRoutesOptions): ManagementRoute {
  const { store, clock } = options;
  return route({
    ...{ method: 'get', path: '/usage/breakdown', operationId: 'getUsageBreakdown', tag: 'Usage', query: QUERY },
    summary: 'Break down usage by one or two groups',
    description:
      'The groups with the largest metric, the sum of the others, and the metric over time. Of more than 1,000 groups, those with the most of what ' +
      `the metric counts are ranked; of the accounts of an operator, the 200 with the highest cost. At most ${MOST_ROWS} values. ` +
      SHARED_READ,
    access: READ,
    answer: { description: 'The breakdown', schema: BREAKDOWN },
    handle: sharedRead(clock, async ({ accountId, query }: SharedCall<z.output<typeof QUERY>>) => {
      const { from, to, bucket = 'none', time_zone: timeZone = DEFAULT_TIME_ZONE, ...rest } = query;
      const {
        group_by: groupBy = USUAL_GROUPS,
        metric = 'spend',
        rank_by: rankBy = metric,
        top = USUAL_TOP,
        top_within: topWithin = USUAL_WITHIN,
        ...filters
      } = rest;
      const range = { ...rangeOf(from, to, clock), kept: await keptNow(options), bucket, timeZone };
      const wanted = { accountId, ...range, groupBy, metric, rankBy, top, topWithin, ...filters };
      const found = breakdownView(await breakDownUsage(store.usage, wanted));
      const rows = found.data.flatMap((row) => [row, ...(row.within?.data ?? [])]);
      const names = await Names.of(store.directory, rows, accountId);
      const data = found.data.map(({ within, ...row }) => ({
        ...names.in(row, accountId),
        within: within && { ...within, data: within.data.map((one) => names.in(one, accountId)) },
      }));
      return { object: 'usage_breakdown' as const, group_by: groupBy, metric, ...found, data };
    }),
  });
}
