import { z } from 'zod';
import { isoTime } from '../../../engine/admin/view-fields.ts';
import { MOST_RUNNING, type RunningCall, type WantedRunning } from '../../../engine/call/calls-in-progress.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { type ManagementRoute, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';

export interface RunningRequestsOptions {
  /** Resolves to the running calls of all processes of the gateway. */
  readonly running: (wanted: WantedRunning) => Promise<readonly RunningCall[]>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const RUNNING = z.object({
  id: z.string(),
  at: z.string(),
  elapsed_ms: z.number(),
  account: z.string().nullable(),
  key: z.string().nullable(),
  format: z.string(),
  model: z.string().nullable().meta({ description: '`null` until the model is known.' }),
  channel: z.string().nullable().meta({ description: 'The channel that was asked last; `null` before the first.' }),
  stream: z.boolean(),
  retry_count: z.number(),
  first_byte_ms: z.number().nullable().meta({ description: '`null` until the first byte is sent to the client.' }),
});

const RUNNING_LIST = z
  .object({ object: z.literal('running_requests'), data: z.array(RUNNING).max(MOST_RUNNING) })
  .meta({ id: 'RunningRequests' });

const QUERY = z.strictObject({
  key: z.string().optional().meta({ description: 'The id of the key.' }),
  model: z.string().optional(),
  channel: z.string().optional().meta({ description: 'The id of the channel that was asked last.' }),
});

/** Returns `requests/running`. Must precede `requestRoutes`: the path looks like that of one request. */
export function runningRequestRoutes({ running, clock }: RunningRequestsOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{
        method: 'get',
        path: '/requests/running',
        operationId: 'listRunningRequests',
        tag: 'Requests',
        query: QUERY,
      },
      summary: 'List running requests',
      description:
        `The ${MOST_RUNNING} requests and streams that have been running for the longest time on the machine that responds, the oldest first. ` +
        `With several nodes, each knows only its own. ${SHARED_READ}`,
      access: { who: 'account', role: 'viewer', scope: 'requests:read', orAll: true },
      answer: { description: 'Running requests', schema: RUNNING_LIST },
      handle: sharedRead(clock, async ({ accountId, query }: SharedCall<z.output<typeof QUERY>>) => {
        const { key: keyId = null, model: modelId = null, channel: channelId = null } = query;
        const calls = await running({ accountId, keyId, modelId, channelId });
        const oldest = calls.toSorted((one, other) => other.elapsedMs - one.elapsedMs).slice(0, MOST_RUNNING);
        return { object: 'running_requests' as const, data: oldest.map(runningView) };
      }),
    }),
  ];
}

function runningView(call: RunningCall) {
  const { requestId, atMs, elapsedMs, accountId, keyId, format, modelId, channelId, stream } = call;
  return {
    ...{ id: requestId, at: isoTime(atMs), elapsed_ms: Math.round(elapsedMs) },
    ...{ account: accountId, key: keyId, format, model: modelId, channel: channelId, stream },
    retry_count: call.retryCount,
    first_byte_ms: call.firstByteMs === null ? null : Math.round(call.firstByteMs),
  };
}
