import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { sumUsage } from '../../../engine/admin/usage/sum-usage.ts';
import { MOST_ROWS, USAGE_BUCKETS } from '../../../engine/admin/usage/usage-spans.ts';
import { usageView } from '../../../engine/admin/usage/usage-view.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { time } from '../../../providers/shared/file-fields.ts';
import { pageQuery } from '../list.ts';
import { type ManagementRoute, route } from '../route.ts';
import { SUMS } from './usage-answers.ts';

export interface UsageRoutesOptions {
  readonly store: Pick<Store, 'usage' | 'directory'>;
  readonly clock: Pick<Clock, 'nowMs'>;
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
          description: 'The value of the tag; `null` for requests without it, `(other)` for values beyond 500 a day.',
        }),
      }),
    ),
    total: SUMS,
    has_more: z.boolean().meta({ description: 'Only where grouped by account: there are more accounts.' }),
    next: z.string().nullable(),
  })
  .meta({ id: 'Usage' });

const QUERY = z.strictObject({
  from: time.optional().meta({ ...TIME, description: 'On a whole minute; 30 days before `to` by default.' }),
  to: time
    .optional()
    .meta({ ...TIME, description: 'Before this time, on a whole minute; by default the end of this minute.' }),
  bucket: z
    .enum(USAGE_BUCKETS)
    .optional()
    .meta({ description: 'Parts of the time that are summed apart (default `none`).' }),
  time_zone: z.string().optional().meta({ description: 'IANA name of the zone of the buckets (default `UTC`).' }),
  group_by: z
    .string()
    .transform((text) => text.split(',').map((group) => group.trim()))
    .optional()
    .meta({
      type: 'string',
      description:
        'Of `key`, `model`, `channel`, `status`, `tag:<key>`, and for operators `account`; separated by commas.',
    }),
  key: z.string().optional().meta({ description: 'Only of the key of this id.' }),
  model: z.string().optional(),
  channel: z.string().optional(),
  status: z
    .string()
    .regex(/^\d{3}$/, { error: 'must be an HTTP status such as 200' })
    .transform(Number)
    .optional()
    .meta({ type: 'integer' }),
  tag: z.string().optional().meta({ description: 'Only with this tag, such as `team=search`.' }),
  ...pageQuery.shape,
});

/** `usage`: sums of requests, tokens and cost. */
export function usageRoutes({ store, clock }: UsageRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/usage', operationId: 'getUsage', tag: 'Usage', query: QUERY },
      summary: 'Sum usage',
      description:
        `Exact at this moment, at most ${MOST_ROWS} rows. A request counts in the minute in which it ended. Operators who name no ` +
        'account get the sums of all; `group_by=account` goes through the accounts page by page.',
      access: { who: 'account', role: 'viewer', scope: 'usage:read', orAll: true },
      answer: { description: 'Sums', schema: USAGE },
      handle: async ({ accountId, query }) => {
        const { from, to, bucket, time_zone: timeZone = DEFAULT_TIME_ZONE, group_by: groupBy, ...rest } = query;
        const toMs = to ?? Math.floor(clock.nowMs() / MINUTE_MS + 1) * MINUTE_MS;
        const fromMs = from ?? toMs - DEFAULT_RANGE_MS;
        const summed = await sumUsage(store, { accountId, fromMs, toMs, bucket, timeZone, groupBy, ...rest });
        return { body: { object: 'usage', ...usageView(summed), has_more: summed.next !== null, next: summed.next } };
      },
    }),
  ];
}
