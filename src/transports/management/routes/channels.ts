import { z } from 'zod';
import {
  MOST_CHANNEL_MODELS,
  MOST_SERVED_CHANNELS,
  MOST_SERVED_MODELS,
} from '../../../domain/catalog/channel-bounds.ts';
import { FORWARDED_IDS } from '../../../domain/trace/forwarded-ids.ts';
import { channelState, etagOf } from '../../../engine/admin/audit/object-states.ts';
import { deleteChannel, resetChannel, setChannelEnabled } from '../../../engine/admin/channels/change-channels.ts';
import { channelLoad, channelLoadView, type LoadPorts } from '../../../engine/admin/channels/channel-load.ts';
import { HEALTH_STATES } from '../../../engine/admin/channels/health-figures.ts';
import {
  type ChannelKeeper,
  type ChannelMeans,
  changeKeptChannel,
  createKeptChannel,
} from '../../../engine/admin/channels/kept-channels.ts';
import { orderChannels } from '../../../engine/admin/channels/order-channels.ts';
import {
  CHANNEL_SCOPES,
  channelView,
  type ListedChannel,
  lazyChannels,
  modelsOnlyServedBy,
  showChannel,
} from '../../../engine/admin/channels/read-channels.ts';
import { syncSandboxChannel } from '../../../engine/admin/channels/sync-environment-channels.ts';
import { CHANNEL_BATCHES, channelSchema } from '../../../engine/admin/schema/channel.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { channelScope } from '../../../engine/ports/directory-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { UPSTREAM_KEY, upstreamKeyRoutes } from './upstream-keys.ts';

export interface ChannelRoutesOptions extends Pick<ChannelMeans, 'providers' | 'addresses'> {
  readonly store: Pick<Store, 'directory' | 'health' | 'upstreamSpending'>;
  readonly clock: Clock;
  /** Reads how much of the limits of channels is used. */
  readonly load: LoadPorts;
  /** The configuration's `sandbox`: whether the sandbox stays available beside other channels. */
  readonly sandbox: boolean | null;
}

const MODEL_OF_CHANNEL = z.looseObject({
  id: z.string(),
  upstream_model: z.string(),
  state: z.enum(HEALTH_STATES),
  requests: z.number(),
  failures: z.number(),
  resting_until: z.string().nullable(),
  first_byte_ms: z.number().nullable(),
  last_failure: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  updated_at: z.string().nullable().meta({ description: 'When a gateway last wrote these figures.' }),
});

const TIMEOUTS = z.looseObject({
  connect_ms: z.number(),
  first_byte_ms: z.number(),
  idle_ms: z.number(),
  first_event_ms: z.number(),
  event_idle_ms: z.number(),
  total_ms: z.number(),
});

const UPSTREAM_LIMITS = z.looseObject({
  max_concurrent: z.number().nullable(),
  requests_per_minute: z.number().nullable(),
  tokens_per_minute: z.number().nullable(),
});

const CHANNEL = z
  .looseObject({
    object: z.literal('channel'),
    id: z.string(),
    name: z.string(),
    type: z
      .enum(['PLATFORM', 'PRIVATE'])
      .meta({ description: 'PRIVATE: belongs to one account, with its own upstream key.' }),
    owner: z.string().nullable().meta({ description: 'The account of a PRIVATE channel.' }),
    owner_name: z.string().nullable().meta({ description: 'The name of that account.' }),
    provider: z.string(),
    base_url: z.string().nullable().meta({ description: '`null`: the provider’s default address.' }),
    settings: z.record(z.string(), z.unknown()).meta({ description: 'What the provider needs besides the key.' }),
    formats: z.array(z.string()).nullable().meta({ description: '`null`: all formats of the provider.' }),
    timeouts: TIMEOUTS.extend({ models: z.record(z.string(), TIMEOUTS) }),
    costs: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What the provider charges per public model, with the members of the configuration file.' }),
    breaker: z.looseObject({
      window_ms: z.number(),
      failure_rate: z.number(),
      minimum_requests: z.number(),
      cooldown_ms: z.number(),
      max_cooldown_ms: z.number(),
      probes: z.number(),
    }),
    forward_ids: z.array(z.enum(FORWARDED_IDS)).nullable().meta({
      description:
        'The ids that the upstream gets. `null`: those of `telemetry.forward_ids`, or none if the channel has an owner.',
    }),
    limits: UPSTREAM_LIMITS.extend({ models: z.record(z.string(), UPSTREAM_LIMITS) })
      .nullable()
      .meta({ description: 'The limits on requests to the provider, over all models and of single ones.' }),
    queue: z
      .looseObject({ max_waiting: z.number(), max_wait_ms: z.number() })
      .nullable()
      .meta({ description: 'How requests wait while it is at a limit. `null`: as in `routing.queue`.' }),
    follow_provider_limits: z.boolean().meta({
      description: 'Whether requests stop before they exceed the rate limits that the provider states in its answers.',
    }),
    batches: z.enum(CHANNEL_BATCHES).meta({
      description:
        'Whether lines of batches run as requests of the gateway (`own`), or go into batches of the provider (`relay`).',
    }),
    api_key_preview: z
      .string()
      .nullable()
      .meta({ description: 'The end of the upstream key. The key itself is never shown.' }),
    api_keys: z
      .array(UPSTREAM_KEY)
      .nullable()
      .meta({ description: 'Several upstream keys in their order; `null` if the channel has one key.' }),
    enabled: z.boolean(),
    state: z.enum(HEALTH_STATES).meta({
      description:
        '`resting`: failures have opened the circuit breaker; `blocked`: the provider refuses the credentials.',
    }),
    resting_until: z.string().nullable(),
    block: z.object({ at: z.string(), reason: z.string() }).nullable(),
    reset_at: z.string().nullable().meta({ description: 'When its health was last reset.' }),
    requests: z.number().meta({
      description:
        'Attempts since the gateway began to count; so does `failures`. For the usage of any period, see `/usage?group_by=channel`.',
    }),
    failures: z.number(),
    priority: z.number().meta({ description: 'Lower is tried first.' }),
    weight: z.number().meta({ description: 'Share of the traffic among channels of the same priority.' }),
    first_byte_ms: z.number().nullable().meta({ description: 'A moving average of the time to the first byte.' }),
    last_failure: z.string().nullable().meta({ description: 'The kind of the last failure, such as `http_503`.' }),
    last_failure_at: z.string().nullable(),
    managed_by: z.enum(['file', 'environment', 'api']),
    models: z.array(MODEL_OF_CHANNEL),
    models_left_out: z.boolean().meta({
      description:
        `Whether some of its models are not served. A channel can have ${MOST_CHANNEL_MODELS} models, and an account ${MOST_SERVED_CHANNELS} ` +
        `PRIVATE channels with ${MOST_SERVED_MODELS} models in all. If older data exceed these limits, reduce \`models\`, or delete channels.`,
    }),
  })
  .meta({ id: 'Channel' });

const LIMIT_USE = z.object({ limit: z.number(), used: z.number().nullable() }).nullable().meta({
  description: 'Used in the last 60 s. `null`: no limit; `used` is `null` while the counters are unavailable.',
});

const LOAD = z
  .object({
    object: z.literal('channel_load'),
    id: z.string(),
    running: z.number().meta({ description: 'Requests that count against its limits and have not ended.' }),
    max_concurrent: z.number().nullable(),
    waiting: z.number().meta({ description: 'Requests in its queue.' }),
    requests_per_minute: LIMIT_USE,
    tokens_per_minute: LIMIT_USE,
    models: z.array(z.object({ id: z.string(), requests_per_minute: LIMIT_USE, tokens_per_minute: LIMIT_USE })),
    stated: z
      .array(
        z.object({
          upstream_model: z.string(),
          unit: z.enum(['requests', 'tokens', 'input_tokens', 'output_tokens']),
          limit: z.number().nullable(),
          left: z.number(),
        }),
      )
      .meta({ description: 'What is left of the rate limits that the provider has stated in its answers.' }),
  })
  .meta({ id: 'ChannelLoad' });

/** A channel created by an older version may have many more models than the current limit. */
const MOST_ONLY_HERE = 1_000;

const ONLY_HERE = z
  .array(z.string())
  .meta({ description: 'Models that no other enabled channel serves, at most 1,000.' });

const DELETED = z.object({
  object: z.literal('channel'),
  id: z.string(),
  deleted: z.literal(true),
  only_here: ONLY_HERE,
});

const DISABLED = CHANNEL.extend({ only_here: ONLY_HERE }).meta({ id: 'DisabledChannel' });

const IMPACT = z
  .object({
    object: z.literal('channel_impact'),
    id: z.string(),
    only_here: ONLY_HERE.meta({
      description:
        'Models that would lose their last enabled channel, at most 1,000. Empty if the channel is disabled or blocked already.',
    }),
    only_here_count: z.number().meta({ description: 'The number of all such models.' }),
  })
  .meta({ id: 'ChannelImpact' });

const NEW_CHANNEL = channelSchema.extend({ id: channelSchema.shape.id.nullish() });
const { id: _id, ...CHANGEABLE } = channelSchema.partial().shape;

/** The largest number of channels whose order can be set at once. */
const MOST_ORDERED = 10_000;

const FILTERS = z.strictObject({
  provider: z.string().optional(),
  scope: z.enum(CHANNEL_SCOPES).optional().meta({ description: 'PLATFORM channels, or PRIVATE ones.' }),
  state: z.enum(HEALTH_STATES).optional(),
});

const TAG = 'Channels';
const READING = { who: 'account', role: 'member', scope: 'channels:read', orAll: true } as const;
const WRITING = { who: 'account', role: 'owner', scope: 'channels:write', orAll: true } as const;

function view(listed: ListedChannel) {
  const type: 'PLATFORM' | 'PRIVATE' = listed.channel.owner === null ? 'PLATFORM' : 'PRIVATE';
  return { object: 'channel' as const, type, ...channelView(listed) };
}

function keeperOf({ accountId, requester }: ManagementCall): ChannelKeeper {
  return { accountId, isOperator: requester?.isOperator === true, isToken: requester?.kind === 'token' };
}

/** Returns `channels`: an account's own; all of them for operators. */
export function channelRoutes(options: ChannelRoutesOptions): readonly ManagementRoute[] {
  return [
    ...readingRoutes(options),
    ...writingRoutes(options),
    ...orderRoutes(),
    ...switchRoutes(options),
    ...upstreamKeyRoutes({ ...options, channel: CHANNEL, shown: (id, accountId) => shown(options, id, accountId) }),
  ];
}

async function shown(
  { store, clock }: Pick<ChannelRoutesOptions, 'store' | 'clock'>,
  id: string,
  accountId: string | null,
) {
  const listed = await showChannel(store, clock.nowMs(), id, accountId);
  return { body: view(listed), etag: etagOf(channelState(listed.channel)) };
}

function readingRoutes(options: ChannelRoutesOptions): readonly ManagementRoute[] {
  const { store, clock } = options;
  return [
    route({
      ...{ method: 'get', path: '/channels', operationId: 'listChannels', tag: TAG, isList: true, query: FILTERS },
      summary: 'List channels',
      description: 'In the order in which they are tried, then by id. Accounts see only their own PRIVATE channels.',
      access: READING,
      answer: { description: 'A page of channels', schema: listSchema(CHANNEL) },
      handle: async ({ accountId, query }) =>
        pageAnswer(await lazyChannels(store, clock.nowMs(), { ...query, owner: accountId ?? undefined }), (listed) =>
          view(listed()),
        ),
    }),
    route({
      ...{ method: 'get', path: '/channels/{id}', operationId: 'getChannel', tag: TAG },
      summary: 'Read a channel',
      description: 'With its health and circuit breakers, which the running gateways report within a second.',
      access: READING,
      answer: { description: 'The channel', schema: CHANNEL },
      handle: (call) => shown(options, paramOf(call, 'id'), call.accountId),
    }),
    route({
      ...{ method: 'get', path: '/channels/{id}/load', operationId: 'getChannelLoad', tag: TAG },
      summary: 'Read the use of a channel’s limits',
      description:
        'What the channel uses of its limits now. The minutes are counted over all nodes; running and waiting requests, and what the provider has stated, are those of the process that answers.',
      access: READING,
      answer: { description: 'The use of its limits', schema: LOAD },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        const { channels } = await store.directory.read(channelScope(id, call.accountId));
        const load = await channelLoad(options.load, channels, id, call.accountId);
        return { body: { object: 'channel_load' as const, ...channelLoadView(load) } };
      },
    }),
    route({
      ...{ method: 'get', path: '/channels/{id}/impact', operationId: 'getChannelImpact', tag: TAG },
      summary: 'Preview the loss of a channel',
      description: 'Returns what disabling or deleting the channel would make unavailable. Changes nothing.',
      access: READING,
      answer: { description: 'The impact', schema: IMPACT },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        const onlyHere = await modelsOnlyServedBy(store.directory, id, call.accountId);
        return {
          body: {
            ...{ object: 'channel_impact' as const, id },
            only_here: onlyHere.slice(0, MOST_ONLY_HERE),
            only_here_count: onlyHere.length,
          },
        };
      },
    }),
  ];
}

function writingRoutes(options: ChannelRoutesOptions): readonly ManagementRoute[] {
  const { providers, addresses, sandbox } = options;
  const means = ({ directory }: ManagementCall) => ({ directory, providers, addresses });
  return [
    route({
      ...{ method: 'post', path: '/channels', operationId: 'createChannel', tag: TAG },
      summary: 'Create a channel',
      description:
        'Creates a PRIVATE channel of the account. If an operator omits `account_id`, a PLATFORM channel. The address of a PRIVATE channel must be on the public internet.',
      access: WRITING,
      body: {
        schema: NEW_CHANNEL,
        examples: {
          own: {
            summary: 'Your own key',
            value: {
              name: 'Our OpenAI key',
              provider: 'openai',
              api_key: 'sk-proj-0123456789abcdef',
              models: ['gpt-5-mini'],
            },
          },
        },
      },
      answer: { status: 201, description: 'The channel', schema: CHANNEL },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const { channel, alreadyThere } = await createKeptChannel(means(call), keeperOf(call), call.input);
        if (channel.owner === null) await syncSandboxChannel(call.directory, { providers, sandbox });
        const answer = await shown(options, channel.id, call.accountId);
        return alreadyThere ? { ...answer, status: 200 } : answer;
      },
    }),
    route({
      ...{ method: 'patch', path: '/channels/{id}', operationId: 'updateChannel', tag: TAG },
      summary: 'Change a channel',
      description:
        'Omitted members keep their values; `null` restores the default. A change of `provider`, `base_url`, `api_key` or `settings` lifts a block.',
      access: WRITING,
      body: { schema: z.strictObject(CHANGEABLE) },
      answer: { description: 'The channel', schema: CHANNEL },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        const { channel } = await changeKeptChannel(means(call), keeperOf(call), id, call.input);
        return shown(options, channel.id, null);
      },
    }),
    route({
      ...{ method: 'delete', path: '/channels/{id}', operationId: 'deleteChannel', tag: TAG },
      summary: 'Delete a channel',
      description: 'Requests in flight can finish.',
      access: WRITING,
      answer: { description: 'The deleted channel', schema: DELETED },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        await shown(options, id, call.accountId);
        const { onlyHere } = await deleteChannel(call.directory, id, call.accountId);
        if (call.accountId === null) await syncSandboxChannel(call.directory, { providers, sandbox });
        return {
          body: {
            object: 'channel' as const,
            id,
            deleted: true as const,
            only_here: onlyHere.slice(0, MOST_ONLY_HERE),
          },
        };
      },
    }),
  ];
}

const ORDER = z.strictObject({
  order: z
    .array(z.union([z.string(), z.array(z.string()).min(1)]), { error: 'must be a list of ids, or of lists of ids' })
    .max(MOST_ORDERED)
    .meta({
      description: 'Each channel id once, first to last. Channels in a nested list share one priority.',
    }),
  seen: z.array(z.string()).max(MOST_ORDERED).nullish().meta({
    description: 'The ids in the order that you have read. If the order has changed since, nothing is changed (412).',
  }),
});

const ORDERED = z
  .object({
    object: z.literal('channel_order'),
    order: z.array(z.array(z.string())),
    changed: z.array(z.string()).meta({ description: 'The channels whose priority has changed.' }),
  })
  .meta({ id: 'ChannelOrder' });

function orderRoutes(): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'post', path: '/channels/order', operationId: 'orderChannels', tag: TAG },
      summary: 'Reorder channels',
      description:
        'Sets the priorities of all PRIVATE channels of the account at once. If an operator omits `account_id`, those of all PLATFORM channels. Channels in the configuration file keep their priorities; an order that contradicts them is refused (409).',
      access: WRITING,
      body: { schema: ORDER },
      answer: { description: 'The order', schema: ORDERED },
      handle: async ({ accountId, directory, input }) => {
        const { order, seen } = checkInput(ORDER, ['channels'], input);
        const groups = order.map((one) => (typeof one === 'string' ? [one] : one));
        const { changed } = await orderChannels(directory, { accountId, groups, seen });
        return { body: { object: 'channel_order' as const, order: groups, changed } };
      },
    }),
  ];
}

function switchRoutes(options: ChannelRoutesOptions): readonly ManagementRoute[] {
  const { clock } = options;
  const common = { method: 'post', tag: TAG, access: WRITING } as const;
  const answer = { description: 'The channel', schema: CHANNEL };
  return [
    route({
      ...{ ...common, path: '/channels/{id}/enable', operationId: 'enableChannel', answer },
      summary: 'Enable a channel',
      description:
        'Also lifts a block and resets its failures on all gateways. The configuration file and the environment cannot override it.',
      handle: async (call) => {
        const id = paramOf(call, 'id');
        await setChannelEnabled(call.directory, clock, id, true, call.accountId);
        return shown(options, id, call.accountId);
      },
    }),
    route({
      ...{ ...common, path: '/channels/{id}/disable', operationId: 'disableChannel' },
      summary: 'Disable a channel',
      description: 'Requests in flight can finish. The configuration file and the environment cannot override it.',
      answer: { description: 'The channel', schema: DISABLED },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        const { onlyHere } = await setChannelEnabled(call.directory, clock, id, false, call.accountId);
        const { body, etag } = await shown(options, id, call.accountId);
        return { body: { ...body, only_here: onlyHere.slice(0, MOST_ONLY_HERE) }, etag };
      },
    }),
    route({
      ...{ ...common, path: '/channels/{id}/reset', operationId: 'resetChannel', answer },
      summary: 'Reset the health of a channel',
      description: 'The channel is tried again at once, and a block is lifted. A disabled channel stays disabled.',
      handle: async (call) => {
        const id = paramOf(call, 'id');
        await resetChannel(call.directory, clock, id, call.accountId);
        return shown(options, id, call.accountId);
      },
    }),
  ];
}
