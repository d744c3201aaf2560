import { z } from 'zod';
import { SPEND_CAP_PERIODS } from '../../../domain/catalog/upstream-key.ts';
import { KEY_STATES } from '../../../engine/admin/channels/listed-key.ts';
import { resetKey, setKeyEnabled } from '../../../engine/admin/channels/upstream-keys.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { flag } from '../../../providers/shared/file-fields.ts';
import { type ManagementAnswer, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';

export const UPSTREAM_KEY = z
  .looseObject({
    name: z.string(),
    key_preview: z.string().nullable().meta({ description: 'The end of the key. The key itself is never shown.' }),
    weight: z.number().meta({ description: 'Share of the channel’s traffic. 0: only if no other key is left.' }),
    enabled: z.boolean(),
    spend_cap: z
      .object({ usd: z.string(), per: z.enum(SPEND_CAP_PERIODS), time_zone: z.string() })
      .nullable()
      .meta({ description: 'How much may be spent with the key per calendar day or month, or in all.' }),
    spent_usd: z.string().meta({ description: 'Spent in the current period of the cap, or in all without a cap.' }),
    resets_at: z.string().nullable().meta({ description: 'When the period of the cap ends.' }),
    state: z.enum(KEY_STATES).meta({
      description: '`capped`: as much was spent as the cap allows; `resting` and `blocked` as for channels.',
    }),
    resting_until: z.string().nullable(),
    block: z.object({ at: z.string(), reason: z.string() }).nullable(),
    reset_at: z.string().nullable(),
    requests: z.number(),
    failures: z.number(),
    first_byte_ms: z.number().nullable(),
    last_failure: z.string().nullable(),
    last_failure_at: z.string().nullable(),
  })
  .meta({ id: 'UpstreamKey' });

const KEY_RESET = z.strictObject({
  spending: flag.nullish().meta({ description: 'Also sets what was spent with the key to zero.' }),
});

export interface UpstreamKeyRoutesOptions {
  readonly store: Pick<Store, 'upstreamSpending'>;
  readonly clock: Clock;
  /** The schema of the channel in the answers. */
  readonly channel: z.ZodType;
  /** Resolves to the answer with a channel. */
  readonly shown: (id: string, accountId: string | null) => Promise<ManagementAnswer>;
}

/** Returns the actions on one of several upstream keys. */
export function upstreamKeyRoutes({
  clock,
  store,
  channel: schema,
  shown,
}: UpstreamKeyRoutesOptions): readonly ManagementRoute[] {
  const answer = { description: 'The channel', schema };
  const access = { who: 'account', role: 'owner', scope: 'channels:write', orAll: true } as const;
  const common = { method: 'post', tag: 'Channels', access, answer } as const;
  const named = (call: ManagementCall) => ({
    id: paramOf(call, 'id'),
    name: paramOf(call, 'key'),
    accountId: call.accountId,
  });
  const switched = (enabled: boolean) => async (call: ManagementCall) => {
    await setKeyEnabled(call.directory, clock, named(call), enabled);
    return shown(paramOf(call, 'id'), call.accountId);
  };
  return [
    route({
      ...{ ...common, path: '/channels/{id}/keys/{key}/enable', operationId: 'enableUpstreamKey' },
      summary: 'Enable an upstream key',
      description: 'Also lifts its block and resets its failures on all gateways.',
      handle: switched(true),
    }),
    route({
      ...{ ...common, path: '/channels/{id}/keys/{key}/disable', operationId: 'disableUpstreamKey' },
      summary: 'Disable an upstream key',
      description:
        'Requests in flight can finish, and tasks that were submitted with the key are still polled with it.',
      handle: switched(false),
    }),
    route({
      ...{ ...common, path: '/channels/{id}/keys/{key}/reset', operationId: 'resetUpstreamKey' },
      summary: 'Reset the health of an upstream key',
      description: 'The key is tried again at once, and a block is lifted. A disabled key stays disabled.',
      body: {
        schema: KEY_RESET,
        optional: true,
        examples: { spending: { summary: 'And its spending', value: { spending: true } } },
      },
      handle: async (call) => {
        const { spending } = checkInput(KEY_RESET, ['key'], call.input ?? {});
        const { channel, key } = await resetKey(call.directory, clock, named(call));
        if (spending === true) await store.upstreamSpending.reset({ channelId: channel.id, keyId: key.id });
        return shown(channel.id, call.accountId);
      },
    }),
  ];
}
