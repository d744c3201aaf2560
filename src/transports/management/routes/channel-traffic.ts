import { z } from 'zod';
import {
  channelTraffic,
  channelTrafficView,
  MOST_TRAFFIC,
  TRAFFIC_HOURS,
} from '../../../engine/admin/channels/read-channel-traffic.ts';
import { CHANNEL_SCOPES } from '../../../engine/admin/channels/read-channels.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { type ManagementRoute, type PageQuery, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { DETAILED_SUMS } from './usage-answers.ts';

export interface ChannelTrafficRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'usage'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const HOURLY = z.array(z.number());

const TRAFFIC = DETAILED_SUMS.extend({
  object: z.literal('channel_traffic'),
  channel: z.string(),
  from: z.string(),
  to: z.string(),
  requests_by_hour: HOURLY.meta({
    description: `${TRAFFIC_HOURS} numbers, the oldest hour (UTC) first; the last hour is not over.`,
  }),
  errors_by_hour: HOURLY,
}).meta({ id: 'ChannelTraffic' });

const QUERY = z.strictObject({
  provider: z.string().optional(),
  scope: z.enum(CHANNEL_SCOPES).optional().meta({ description: 'PLATFORM channels, or PRIVATE ones.' }),
});

/** Returns `usage/channels`: the last day of every channel, for the list of channels. */
export function channelTrafficRoutes({ store, clock }: ChannelTrafficRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/usage/channels', operationId: 'listChannelTraffic', tag: 'Usage' },
      ...{ isList: true, query: QUERY },
      summary: 'List the traffic of channels',
      description:
        `The last ${TRAFFIC_HOURS} hours of each channel, in the order of the list of channels. Accounts see their own requests over their PRIVATE ` +
        `channels; if an operator omits \`account_id\`, the sums cover all accounts. A page has at most ${MOST_TRAFFIC} channels. ${SHARED_READ}`,
      access: { who: 'account', role: 'member', scope: 'usage:read', orAll: true },
      answer: { description: 'A page of traffic', schema: listSchema(TRAFFIC) },
      handle: sharedRead(clock, async ({ accountId, query }: SharedCall<z.output<typeof QUERY> & PageQuery>) => {
        const page = await channelTraffic(store, clock.nowMs(), { accountId, ...query });
        return pageAnswer(page, (traffic) => ({ object: 'channel_traffic' as const, ...channelTrafficView(traffic) }))
          .body;
      }),
    }),
  ];
}
