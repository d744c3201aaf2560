import { z } from 'zod';
import { MODEL_CATEGORIES } from '../../../domain/catalog/category.ts';
import { withAnyKey } from '../../../domain/catalog/keyed-channel.ts';
import { unsavedChannel } from '../../../engine/admin/channels/kept-channels.ts';
import { findChannel } from '../../../engine/admin/channels/read-channels.ts';
import { channelSchema } from '../../../engine/admin/schema/channel.ts';
import { field } from '../../../engine/admin/schema/unchecked.ts';
import { CHECKED_BY, probeChannel } from '../../../engine/channel-tests/probe-channel.ts';
import { describedModels, listedIds } from '../../../engine/channel-tests/reachable-models.ts';
import { failedTestView, probeView, reachableView } from '../../../engine/channel-tests/test-view.ts';
import { channelParts } from '../../../engine/directory/target.ts';
import type { AddressCheck } from '../../../engine/ports/address-check.ts';
import { CATALOG_ONLY } from '../../../engine/ports/directory-store.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { type ChannelTestRoutesOptions, factsFor, inSlot, SERVER } from './channel-tests.ts';

export interface ChannelProbeRoutesOptions extends ChannelTestRoutesOptions {
  readonly addresses: AddressCheck;
}

const ASKED = channelSchema.extend({
  id: channelSchema.shape.id.nullish(),
  models: channelSchema.shape.models.optional().meta({
    description: 'The default: those that the provider lists, or else those in the catalog.',
  }),
});

const REACHABLE = z.looseObject({
  id: z.string().meta({ description: 'The provider’s own id, which a channel’s `models` can name.' }),
  name: z.string(),
  owned_by: z.string(),
  category: z.enum(MODEL_CATEGORIES).meta({ description: 'A guess if the model is not `known`.' }),
  operations: z.array(z.string()),
  context_tokens: z.number().nullable(),
  known: z.boolean().meta({ description: 'Whether the catalog has it.' }),
  priced: z.boolean(),
});
const LISTED = z.boolean().meta({
  description: 'Whether `models` is the provider’s own list for this key; otherwise it comes from the catalog.',
});

const CUT = z.boolean().meta({
  description: 'Whether the provider lists more models. A list is read up to 2,000 models, 100,000 values and 4 MiB.',
});

const PROBE = z
  .object({
    object: z.literal('channel_probe'),
    provider: z.string(),
    ok: z.boolean().nullable().meta({
      description: '`null`: the key could not be tested. The first request will show whether it works.',
    }),
    server: SERVER,
    checked_by: z.enum(CHECKED_BY).nullable().meta({
      description: '`request`: one small request, which the provider charges for. The other checks are free.',
    }),
    latency_ms: z.number(),
    error: z.object({ code: z.string(), kind: z.string(), message: z.string(), hint: z.string() }).nullable(),
    listed: LISTED,
    models_cut: CUT,
    models: z.array(REACHABLE),
  })
  .meta({ id: 'ChannelProbe' });

const OFFERED = z
  .object({
    object: z.literal('reachable_models'),
    channel: z.string(),
    ok: z.boolean(),
    error: PROBE.shape.error,
    listed: LISTED,
    models_cut: CUT,
    models: z.array(
      REACHABLE.extend({
        served_as: z.array(z.string()).meta({ description: 'The public ids by which the channel serves it.' }),
      }),
    ),
    not_offered: z
      .array(z.string())
      .meta({ description: 'Models that are served but not on the provider’s list. Empty if the list was truncated.' }),
  })
  .meta({ id: 'ReachableModels' });

/** Returns `channels/probe` and `channels/{id}/reachable-models`: what a key can reach, before and after it is saved. */
export function channelProbeRoutes(options: ChannelProbeRoutesOptions): readonly ManagementRoute[] {
  const { slots } = options;
  const common = { tag: 'Channels' } as const;
  return [
    route({
      ...{ ...common, method: 'post', path: '/channels/probe', operationId: 'probeChannel' },
      summary: 'Test a provider’s key before it is saved',
      description:
        'Takes the members of a new channel. Requests the provider’s list of models, or sends one small request if the list does not require a key. Stores nothing; a refusal by the provider is in `error`.',
      access: { who: 'account', role: 'owner', scope: 'channels:write', orAll: true },
      // No example: tests would run it against a public host.
      body: { schema: ASKED },
      answer: { description: 'Whether the key works, and the models that it can use', schema: PROBE },
      handle: (call) => inSlot(slots, call.accountId, () => probe(options, call)),
    }),
    route({
      ...{ ...common, method: 'get', path: '/channels/{id}/reachable-models', operationId: 'listReachableModels' },
      summary: 'List the models of a channel’s provider',
      description: 'The provider’s current list, compared with what the channel serves. It is free.',
      access: { who: 'account', role: 'owner', scope: 'channels:read', orAll: true },
      answer: { description: 'The models', schema: OFFERED },
      handle: (call) => inSlot(slots, call.accountId, () => reachable(options, call)),
    }),
  ];
}

async function probe(options: ChannelProbeRoutesOptions, { directory, accountId, requester, input }: ManagementCall) {
  const { providers, upstream, clock } = options;
  const keeper = { accountId, isOperator: requester?.isOperator === true, isToken: requester?.kind === 'token' };
  const channel = withAnyKey(await unsavedChannel(options, keeper, input));
  const facts = factsFor(providers, await directory.read(CATALOG_ONLY), channel);
  const asked = { channel, ...facts, namesModels: field(input, 'models') != null };
  const result = await probeChannel({ upstream, clock }, asked);
  return { body: { object: 'channel_probe' as const, ...probeView(asked, result) } };
}

async function reachable({ providers, upstream }: ChannelProbeRoutesOptions, call: ManagementCall) {
  const id = paramOf(call, 'id');
  const rows = await call.directory.read({ channelsOf: [call.accountId], channelIds: [id] });
  const channel = withAnyKey(findChannel(rows.channels, id, call.accountId));
  const probed = { channel, ...factsFor(providers, rows, channel) };
  const listed = await listedIds(upstream, channelParts(channel, probed.manifest));
  if ('failure' in listed) {
    const error = failedTestView(probed, listed, listed.failure);
    return { body: { object: 'reachable_models' as const, ok: false, error, ...reachableView(probed, [], null) } };
  }
  const models = describedModels(probed, listed.ids);
  const view = reachableView(probed, models, listed.ids === null ? null : listed);
  return { body: { object: 'reachable_models' as const, ok: true, error: null, ...view } };
}
