import { z } from 'zod';
import { type Ids, Names } from '../../../engine/admin/names.ts';
import { keptSums, USAGE_BUCKETS } from '../../../engine/admin/usage/usage-spans.ts';
import type { EndUsers } from '../../../engine/call/end-users.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { time } from '../../../providers/shared/file-fields.ts';

export interface UsageRoutesOptions {
  readonly store: Pick<Store, 'usage' | 'directory' | 'retention'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long per-minute and per-hour sums are kept. */
  readonly retention: Parameters<typeof keptSums>[0];
  readonly endUsers: Pick<EndUsers, 'storage' | 'stored'>;
}

const MINUTE_MS = 60_000;
const DEFAULT_RANGE_MS = 30 * 86_400_000;
const TIME = { type: 'string', format: 'date-time' } as const;

export const USAGE_FILTERS = {
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

export const USAGE_GROUPS = z.string().transform((text) => text.split(',').map((group) => group.trim()));

export const SUMS_QUERY = z.strictObject({
  ...USAGE_FILTERS,
  bucket: USAGE_FILTERS.bucket.meta({ description: 'The intervals for separate sums. The default is `none`.' }),
  group_by: USAGE_GROUPS.optional().meta({
    type: 'string',
    description:
      'Any of `key`, `model`, `channel`, `status`, `end_user` or `tag:<key>`, and for operators `account`, separated by commas.',
  }),
});

/** Returns the range of a query. The default is the last 30 days. */
export function rangeOf(from: number | undefined, to: number | undefined, clock: UsageRoutesOptions['clock']) {
  const toMs = to ?? Math.floor(clock.nowMs() / MINUTE_MS + 1) * MINUTE_MS;
  return { fromMs: from ?? toMs - DEFAULT_RANGE_MS, toMs };
}

/** Resolves to what sums are kept at this moment. */
export async function keptNow({ store, clock, retention }: UsageRoutesOptions) {
  return keptSums(retention, await store.retention.thinning(), clock.nowMs());
}

/** Resolves to rows with the names of their ids. */
export async function withNames<Row extends Ids>(
  { directory }: Pick<UsageRoutesOptions['store'], 'directory'>,
  rows: readonly Row[],
  accountId: string | null,
) {
  const names = await Names.of(directory, rows, accountId);
  return rows.map((row) => names.in(row, accountId));
}
