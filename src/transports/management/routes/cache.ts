import { z } from 'zod';
import { FEEDBACK_TYPES, MOST_DESCRIPTION } from '../../../domain/cache/cache.ts';
import { clearCache, invalidateCacheEntry } from '../../../engine/admin/cache/change-cache.ts';
import {
  cacheEntryView,
  cacheReportView,
  cacheStatisticsView,
  listCacheEntries,
  listCacheReports,
  showCacheEntry,
  shownCacheEntryView,
} from '../../../engine/admin/cache/read-cache.ts';
import { reportCached } from '../../../engine/admin/cache/report-cached.ts';
import { named, namedPage } from '../../../engine/admin/names.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import type { CacheFeedback } from '../../../engine/cache/feedback.ts';
import type { CacheStore } from '../../../engine/ports/cache-store.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { CacheSettings } from '../../../engine/settings/settings.ts';
import { oneOf } from '../../../providers/shared/file-fields.ts';
import { listAnswer, listSchema, pageAnswer } from '../list.ts';
import { accountOf, type ManagementRoute, paramOf, route } from '../route.ts';
import { NAMED } from './named-answers.ts';

export interface CacheRoutesOptions {
  readonly store: Pick<Store, 'cacheReports'>;
  readonly cache: CacheStore;
  readonly settings: CacheSettings;
  readonly clock: Clock;
  readonly feedback: Pick<CacheFeedback, 'count'>;
}

const ENTRY = z
  .looseObject({
    object: z.literal('cache_entry'),
    id: z.string(),
    account: z.string(),
    ...NAMED.account,
    shared: z.boolean(),
    model: z.string(),
    channel: z.string(),
    ...NAMED.channel,
    upstream_model: z.string(),
    stored_at: z.string(),
    expires_at: z.string(),
    semantic: z.boolean().meta({ description: 'Whether it also serves requests with an equivalent meaning.' }),
    bytes: z.number().optional().meta({ description: 'Only in lists: the size of the entry.' }),
  })
  .meta({ id: 'CacheEntry' });

const SHOWN_ENTRY = ENTRY.omit({ bytes: true })
  .extend({
    channel_name: z.string(),
    provider: z.string(),
    private: z.boolean(),
    answer_bytes: z.number(),
    key: z.string().meta({ description: 'The cache key, which is the same for equal requests.' }),
    reports: z.number(),
  })
  .meta({ id: 'ShownCacheEntry' });

const REPORT = z
  .looseObject({
    object: z.literal('cache_report'),
    id: z.string(),
    entry: z.string(),
    account: z.string(),
    ...NAMED.account,
    key: z.string().nullable().meta({ description: '`null`: it was reported without a key, as in the dashboard.' }),
    ...NAMED.key,
    model: z.string(),
    type: z.enum(FEEDBACK_TYPES),
    description: z.string(),
    reported_at: z.string(),
    invalidated_at: z.string().nullable(),
  })
  .meta({ id: 'CacheReport' });

const NEW_REPORT = z.strictObject({
  type: oneOf(FEEDBACK_TYPES),
  description: z
    .string({ error: 'must be a string' })
    .max(MOST_DESCRIPTION, { error: `must be at most ${MOST_DESCRIPTION} characters` })
    .nullish()
    .meta({ description: 'What is wrong.' }),
});

const REPORTED = z
  .object({
    object: z.literal('cache_report_outcome'),
    entry: z.string(),
    status: z.enum(['recorded', 'already_recorded']),
    invalidated: z.boolean().meta({ description: 'Whether the entry is no longer served.' }),
  })
  .meta({ id: 'CacheReportOutcome' });

const STATISTICS = z
  .looseObject({
    object: z.literal('cache_statistics'),
    memory: z
      .object({ entries: z.number(), bytes: z.number() })
      .meta({ description: 'The memory of the process that responds.' }),
    beyond: z
      .looseObject({ kind: z.enum(['disk', 'redis']), entries: z.number(), bytes: z.number(), most_bytes: z.number() })
      .nullable(),
  })
  .meta({ id: 'CacheStatistics' });

const TAG = 'Cache';
const READING = { who: 'account', role: 'viewer', scope: 'cache:read', orAll: true } as const;

/** Returns `cache`: entries without their content, reports, and invalidation. */
export function cacheRoutes(options: CacheRoutesOptions): readonly ManagementRoute[] {
  return [...entryRoutes(options), reportRoute(options), ...otherRoutes(options)];
}

function entryRoutes({
  store: { cacheReports },
  cache,
  settings,
  clock,
}: CacheRoutesOptions): readonly ManagementRoute[] {
  const stores = { cache, cacheReports };
  return [
    route({
      ...{ method: 'get', path: '/cache/entries', operationId: 'listCacheEntries', tag: TAG, isList: true },
      summary: 'List cached answers',
      description: 'Newest first, without prompts and responses.',
      access: READING,
      answer: { description: 'A page of entries', schema: listSchema(ENTRY) },
      handle: async ({ accountId, query, directory }) => {
        const found = await listCacheEntries(stores, { ...query, account: accountId ?? undefined });
        const page = await namedPage(directory, found, cacheEntryView);
        return pageAnswer(page, (view) => ({ object: 'cache_entry' as const, ...view }));
      },
    }),
    route({
      ...{ method: 'get', path: '/cache/entries/{id}', operationId: 'getCacheEntry', tag: TAG },
      summary: 'Read a cached answer’s metadata',
      access: READING,
      answer: { description: 'The entry, without its content', schema: SHOWN_ENTRY },
      handle: async (call) => {
        const shown = await showCacheEntry(stores, paramOf(call, 'id'), call.accountId);
        // Its `key` is that of the cache, and its channel's name is that of the time when it was stored.
        const { account_name } = await named(call.directory, { account: shown.entry.accountId });
        return { body: { object: 'cache_entry' as const, ...shownCacheEntryView(shown), account_name } };
      },
    }),
    route({
      ...{ method: 'delete', path: '/cache/entries/{id}', operationId: 'invalidateCacheEntry', tag: TAG },
      summary: 'Invalidate a cached answer',
      description: 'Takes effect on all nodes. For a while, responses to its request are not cached.',
      access: { who: 'account', role: 'member', scope: 'cache:write', orAll: true },
      answer: { status: 204, description: 'Invalidated' },
      handle: async (call) => {
        await invalidateCacheEntry(
          { ...stores, trail: call.trail },
          { clock, settings },
          paramOf(call, 'id'),
          call.accountId,
        );
        return {};
      },
    }),
  ];
}

function reportRoute({ feedback }: CacheRoutesOptions): ManagementRoute {
  return route({
    ...{ method: 'post', path: '/cache/entries/{id}/reports', operationId: 'reportCacheEntry', tag: TAG },
    summary: 'Report a wrong cached answer',
    description:
      'As `POST /v1/cache/feedback` does for keys. Each person and token has one vote per entry; the entry is invalidated after `cache.feedback.keys` votes.',
    access: { who: 'account', role: 'member', scope: 'cache:write' },
    body: {
      schema: NEW_REPORT,
      examples: {
        wrong: { summary: 'An outdated answer', value: { type: 'outdated', description: 'The price is from 2025.' } },
      },
    },
    answer: { description: 'Whether it was recorded', schema: REPORTED },
    handle: async (call) => {
      const { requester, trail, input } = call;
      if (requester === null) throw new Error('The route is not open to anyone.');
      const entry = paramOf(call, 'id');
      const { type, description } = checkInput(NEW_REPORT, ['cache_report'], input);
      const from = { accountId: accountOf(call), requester };
      const request = { entryId: entry, type, description: (description ?? '').toWellFormed() };
      const { isNew, isInvalidated: invalidated } = await reportCached({ feedback, trail }, from, request);
      const status = isNew ? ('recorded' as const) : ('already_recorded' as const);
      return { body: { object: 'cache_report_outcome' as const, entry, status, invalidated } };
    },
  });
}

function otherRoutes({ store: { cacheReports }, cache, settings }: CacheRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/cache/reports', operationId: 'listCacheReports', tag: TAG, isList: true },
      summary: 'List reports of cached answers',
      description: 'Newest first.',
      query: z.strictObject({ entry: z.string().optional().meta({ description: 'Only reports of this entry.' }) }),
      access: READING,
      answer: { description: 'A page of reports', schema: listSchema(REPORT) },
      handle: ({ accountId, query, directory }) => {
        const wanted = { ...query, account: accountId ?? undefined };
        return listAnswer(
          query,
          async (page) =>
            namedPage(directory, await listCacheReports({ cacheReports }, { ...wanted, ...page }), cacheReportView),
          (view) => ({ object: 'cache_report' as const, ...view }),
        );
      },
    }),
    route({
      ...{ method: 'post', path: '/cache/clear', operationId: 'clearCache', tag: TAG },
      summary: 'Remove cached answers',
      description:
        'Removes all entries that the account’s requests created. If an operator omits `account_id`, all entries.',
      access: { who: 'account', role: 'owner', scope: 'cache:write', orAll: true },
      answer: { description: 'The number of removed entries', schema: z.object({ removed: z.number() }) },
      handle: async ({ accountId, directory, trail }) => ({
        body: { removed: await clearCache({ cache, directory, trail }, accountId) },
      }),
    }),
    route({
      ...{ method: 'get', path: '/cache/statistics', operationId: 'getCacheStatistics', tag: TAG },
      summary: 'Read cache statistics',
      access: { who: 'operator', scope: 'cache:read' },
      answer: { description: 'Entries and bytes', schema: STATISTICS },
      handle: () => {
        const { memory, beyond } = cache.statistics();
        const lasting = beyond === null ? null : cacheStatisticsView(beyond, settings);
        return { body: { object: 'cache_statistics' as const, memory, beyond: lasting } };
      },
    }),
  ];
}
