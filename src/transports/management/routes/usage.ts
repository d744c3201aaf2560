import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { overviewView, sumUsage, usageOverview, usageView } from '../../../engine/admin/usage/read-usage.ts';
import { keptSums, MOST_ROWS, USAGE_BUCKETS } from '../../../engine/admin/usage/usage-spans.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { time } from '../../../providers/shared/file-fields.ts';
import { pageQuery } from '../list.ts';
import { type ManagementRoute, type PageQuery, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { SUMS } from './usage-answers.ts';

export interface UsageRoutesOptions {
  readonly store: Pick<Store, 'usage' | 'directory' | 'retention'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long per-minute and per-hour sums are kept. */
  readonly retention: Parameters<typeof keptSums>[0];
}

const MINUTE_MS = 60_000;
const DEFAULT_RANGE_MS = 30 * 86_400_000;
const TIME = { type: 'string', format: 'date-time' } as const;

const USAGE = z
  .object({
    object: z.literal('usage'),
    data: z.array(
      SUMS.extend({
        from: z.string(),
        to: z.string(),
        account: z.string().optional(),
        key: z.string().nullable().optional(),
        model: z.string().nullable().optional(),
        channel: z.string().nullable().optional(),
        status: z.number().nullable().optional(),
        tag: z.string().nullable().optional().meta({
          description: 'The value of the tag. `null` for requests without it, `(other)` for values beyond 500 per day.',
        }),
      }),
    ),
    total: SUMS,
    has_more: z.boolean().meta({ description: 'Only if grouped by account: whether more accounts follow.' }),
    next: z.string().nullable(),
  })
  .meta({ id: 'Usage' });

const FILTERS = {
  from: time.optional().meta({ ...TIME, description: 'A full minute. The default is 30 days before `to`.' }),
  to: time
    .optional()
    .meta({ ...TIME, description: 'A full minute, exclusive. The default is the end of the current minute.' }),
  bucket: z.enum(USAGE_BUCKETS).optional(),
  time_zone: z.string().optional().meta({ description: 'The IANA time zone of the buckets. The default is `UTC`.' }),
  key: z.string().optional().meta({ description: 'Only requests of the key with this id.' }),
  model: z.string().optional(),
  channel: z.string().optional(),
  status: z
    .string()
    .regex(/^\d{3}$/, { error: 'must be an HTTP status such as 200' })
    .transform(Number)
    .optional()
    .meta({ type: 'integer' }),
  tag: z.string().optional().meta({ description: 'Only requests with this tag, such as `team=search`.' }),
};

const QUERY = z.strictObject({
  ...FILTERS,
  bucket: FILTERS.bucket.meta({ description: 'The intervals for separate sums. The default is `none`.' }),
  group_by: z
    .string()
    .transform((text) => text.split(',').map((group) => group.trim()))
    .optional()
    .meta({
      type: 'string',
      description:
        'Any of `key`, `model`, `channel`, `status`, `tag:<key>`, and for operators `account`, separated by commas.',
    }),
  ...pageQuery.shape,
});

const MOST_TOP = 50;
const OVERVIEW_QUERY = z.strictObject({
  ...FILTERS,
  bucket: FILTERS.bucket.meta({ description: 'The intervals of `series`. The default is `day`.' }),
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
    total: SUMS,
    previous: SUMS.extend(SPAN).meta({ description: 'The preceding period of the same length.' }),
    series: z.array(SUMS.extend(SPAN)).meta({ description: 'Intervals without usage are omitted.' }),
    models: ranked({ model: ID }),
    keys: ranked({ key: ID }).nullable().meta({ description: '`null` for the sum of all accounts.' }),
    accounts: ranked({ account: z.string() })
      .nullable()
      .meta({ description: '`null` for a single account, and for periods older than `retention.ranking_days`.' }),
    channels: ranked({ channel: ID }),
    errors: z
      .array(z.object({ status: z.number().nullable(), errors: z.number() }))
      .meta({ description: 'Failed requests by HTTP status, the most frequent first.' }),
  })
  .meta({ id: 'UsageOverview' });

/** Returns `usage`: sums of requests, tokens and cost. */
export function usageRoutes({ store, clock, retention }: UsageRoutesOptions): readonly ManagementRoute[] {
  const kept = async () => keptSums(retention, await store.retention.thinning(), clock.nowMs());
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
        const range = { ...rangeOf(from, to, clock), kept: await kept() };
        const summed = await sumUsage(store, { accountId, ...range, bucket, timeZone, groupBy, ...rest });
        return { object: 'usage' as const, ...usageView(summed), has_more: summed.next !== null, next: summed.next };
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
        const wanted = { accountId, ...rangeOf(from, to, clock), kept: await kept(), bucket, timeZone, top, ...rest };
        return { object: 'usage_overview' as const, ...overviewView(await usageOverview(store.usage, wanted)) };
      }),
    }),
  ];
}

function rangeOf(from: number | undefined, to: number | undefined, clock: UsageRoutesOptions['clock']) {
  const toMs = to ?? Math.floor(clock.nowMs() / MINUTE_MS + 1) * MINUTE_MS;
  return { fromMs: from ?? toMs - DEFAULT_RANGE_MS, toMs };
}
