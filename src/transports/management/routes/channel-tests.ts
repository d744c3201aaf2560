import { z } from 'zod';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { keyedChannel, withAnyKey } from '../../../domain/catalog/keyed-channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { findChannel } from '../../../engine/admin/channels/read-channels.ts';
import { findKey } from '../../../engine/admin/channels/upstream-keys.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { type ChannelTestSlots, testChannel } from '../../../engine/channel-tests/test-channel.ts';
import { channelTestView } from '../../../engine/channel-tests/test-view.ts';
import { ModelFacts } from '../../../engine/directory/model-facts.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { ServingRows } from '../../../engine/ports/directory-store.ts';
import type { Upstream } from '../../../engine/ports/upstream.ts';
import { manifestOf, serverOf } from '../../../engine/servers/recognize-server.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { flag, integer, text } from '../../../providers/shared/file-fields.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';

export interface ChannelTestRoutesOptions {
  readonly providers: Providers;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly slots: ChannelTestSlots;
}

const LONGEST_SECONDS = 120;

const ASKED = z.strictObject({
  model: text('must be the public id of a model', /^[^\s\p{Cc}]{1,200}$/u)
    .nullish()
    .meta({ description: 'The default is the channel’s first chat model, or its first search model.' }),
  key: text('must be the name of a key', /^[^\s\p{Cc}]{1,64}$/u)
    .nullish()
    .meta({
      description:
        'The name of the upstream key to test, if the channel has several. The default is the first enabled one.',
    }),
  stream: flag.nullish(),
  timeout_seconds: integer(`must be a whole number from 1 to ${LONGEST_SECONDS}`, 1, LONGEST_SECONDS)
    .nullish()
    .meta({ description: 'For the whole test. The default is 60, or the channel’s own limit if that is lower.' }),
});

const TRY = z.looseObject({
  format: z.string(),
  address: z.string(),
  status: z.number().nullable(),
  latency_ms: z.number(),
  first_byte_ms: z.number().nullable().meta({ description: 'The time to the first content of a stream, else `null`.' }),
  upstream_request_id: z.string().nullable(),
  error: z.looseObject({ code: z.string(), kind: z.string(), message: z.string(), hint: z.string() }).nullable(),
  answer: z
    .looseObject({
      text: z.string(),
      thought: z.boolean().meta({ description: 'Whether the response contains reasoning.' }),
      finish: z.string().nullable(),
      streamed: z.boolean(),
      usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullable(),
    })
    .nullable(),
});

/** The program that serves the channel's address. */
export const SERVER = z
  .looseObject({ name: z.string(), label: z.string(), source: z.enum(['set', 'detected']) })
  .nullable()
  .meta({
    description:
      'The program that serves the address, whose rules apply to requests: set by the setting `server`, or detected. `null`: it is unknown, or the provider has only one API.',
  });

const TEST = z
  .looseObject({
    object: z.literal('channel_test'),
    channel: z.string(),
    key: z.string().nullable().meta({ description: 'The name of the tested key; `null` if the channel has one key.' }),
    enabled: z.boolean(),
    blocked: z.boolean(),
    server: SERVER,
    model: z.string(),
    upstream_model: z.string(),
    ok: z.boolean(),
    tries: z.array(TRY).meta({ description: 'The requests that were sent; the last one is the result.' }),
  })
  .meta({ id: 'ChannelTest' });

/** Returns `channels/{id}/test`, which sends one small real request. */
export function channelTestRoutes({
  providers,
  upstream,
  clock,
  slots,
}: ChannelTestRoutesOptions): readonly ManagementRoute[] {
  const run = async ({ directory, accountId, input, ...call }: ManagementCall) => {
    const asked = checkInput(ASKED, ['test'], input);
    const id = paramOf(call, 'id');
    const rows = await directory.read({ channelsOf: [accountId], channelIds: [id] });
    const found = findChannel(rows.channels, id, accountId);
    const channel = asked.key == null ? withAnyKey(found) : keyedChannel(found, findKey(found, asked.key));
    const { manifest, modelFacts, declared } = factsFor(providers, rows, channel);
    const modelOf = (modelId: string) => modelFacts.resolve(modelId, channel, declared.get(modelId));
    const server = await serverOf(upstream, channel, manifest);
    const test = await testChannel(
      { upstream, clock },
      {
        ...{ channel, manifest: manifestOf(manifest, server), modelOf, modelFacts },
        ...{ modelId: asked.model ?? null, stream: asked.stream ?? false },
        totalMs: asked.timeout_seconds == null ? null : asked.timeout_seconds * 1_000,
      },
    );
    if (test instanceof Failure) throw new AdminError('invalid_value', 'model', test.message.replaceAll('`', '"'));
    return { body: { object: 'channel_test' as const, ...channelTestView({ channel, manifest, server, test }) } };
  };
  return [
    route({
      ...{ method: 'post', path: '/channels/{id}/test', operationId: 'testChannel', tag: 'Channels' },
      summary: 'Test a channel',
      description:
        'Sends one small real request, which the provider charges for, and returns the response. Also works for disabled and blocked channels. Does not affect the channel’s figures or state.',
      access: { who: 'account', role: 'owner', scope: 'channels:write', orAll: true },
      body: {
        schema: ASKED,
        optional: true,
        examples: { stream: { summary: 'As a stream', value: { stream: true } } },
      },
      answer: { description: 'The result', schema: TEST },
      handle: (call) => inSlot(slots, call.accountId, () => run(call)),
    }),
  ];
}

/** Returns the facts about a channel's provider and models. Throws an `AdminError` if the provider no longer exists. */
export function factsFor(
  providers: Providers,
  { models, syncedModels }: ServingRows,
  { provider }: Pick<Channel, 'provider'>,
) {
  const manifest = providers.get(provider);
  if (manifest === undefined) throw new AdminError('conflict', 'channel', 'has an unknown provider');
  const modelFacts = new ModelFacts(providers, syncedModels);
  return { manifest, modelFacts, declared: new Map(models.map((model) => [model.id, model])) };
}

/** Runs a test in a slot. Throws an `AdminError` if too many are running. */
export async function inSlot<Result>(
  slots: ChannelTestSlots,
  accountId: string | null,
  test: () => Promise<Result>,
): Promise<Result> {
  const release = slots.take(accountId);
  if (release === null)
    throw new AdminError('conflict', 'channel', 'too many tests are running: wait for them to finish');
  try {
    return await test();
  } finally {
    release();
  }
}
