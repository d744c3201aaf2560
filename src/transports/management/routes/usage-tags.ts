import { z } from 'zod';
import { withEndUser } from '../../../domain/usage/request-tags.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { tagsUsed } from '../../../engine/admin/usage/read-tags.ts';
import { END_USER_STORAGES } from '../../../engine/settings/settings.ts';
import { accountOf, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { keptNow, rangeOf, USAGE_FILTERS, type UsageRoutesOptions } from './usage-queries.ts';

const READ = { who: 'account', role: 'viewer', scope: 'usage:read' } as const;
const LONGEST_NAME = 1_000;

const TAGS_QUERY = z.strictObject({ from: USAGE_FILTERS.from, to: USAGE_FILTERS.to });
const TAGS = z
  .object({
    object: z.literal('usage_tags'),
    end_users: z.enum(END_USER_STORAGES).meta({ description: 'The setting `usage.end_users`.' }),
    data: z.array(
      z.object({
        key: z.string(),
        requests: z.number(),
        values: z
          .array(z.object({ value: z.string(), requests: z.number() }))
          .meta({ description: 'At most 50, those with the most requests first.' }),
      }),
    ),
  })
  .meta({ id: 'UsageTags' });

export function tagsRoute(options: UsageRoutesOptions): ManagementRoute {
  const { store, clock, endUsers } = options;
  return route({
    ...{ method: 'get', path: '/usage/tags', operationId: 'listUsageTags', tag: 'Usage', query: TAGS_QUERY },
    summary: 'List the tags of requests',
    description: `The keys of the 2,000 tags with the most requests in a period. The end user is the tag \`end_user\`. ${SHARED_READ}`,
    access: READ,
    answer: { description: 'The tags', schema: TAGS },
    handle: sharedRead(clock, async (call: SharedCall<z.output<typeof TAGS_QUERY>>) => {
      const range = rangeOf(call.query.from, call.query.to, clock);
      const wanted = { accountId: accountOf(call), ...range, kept: await keptNow(options) };
      const data = await tagsUsed(store.usage, wanted);
      return { object: 'usage_tags' as const, end_users: endUsers.storage, data };
    }),
  });
}

/** Returns the name in the path of a route about one end user. Throws `AdminError`. */
export function endUserOf(call: Pick<ManagementCall, 'params'>): string {
  const name = paramOf(call, 'name').trim();
  if (name === '') throw new AdminError('invalid_value', 'name', 'must be the end user as the client names it');
  if (name.length > LONGEST_NAME)
    throw new AdminError('invalid_value', 'name', `must have at most ${LONGEST_NAME} characters`);
  return name;
}

const END_USER = z
  .object({
    object: z.literal('end_user'),
    end_users: z.enum(END_USER_STORAGES).meta({ description: 'The setting `usage.end_users`.' }),
    tag: z.string().nullable().meta({
      description: 'The tag, for the filter `tag` of usage and requests. `null` if end users are not stored.',
    }),
  })
  .meta({ id: 'EndUser' });

export function endUserRoute({ endUsers }: UsageRoutesOptions): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/usage/end-users/{name}', operationId: 'findEndUser', tag: 'Usage' },
    summary: 'Find the tag of an end user',
    description:
      'The tag under which the requests of an end user are stored now. The response is the same whether or not there are any.',
    access: READ,
    answer: { description: 'The tag', schema: END_USER },
    handle: (call) => {
      const stored = endUsers.stored(accountOf(call), endUserOf(call));
      const [tag = null] = stored === null ? [] : withEndUser([], stored);
      return { body: { object: 'end_user' as const, end_users: endUsers.storage, tag } };
    },
  });
}
