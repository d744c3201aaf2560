import { createHash } from 'node:crypto';
import { z } from 'zod';
import { OPERATIONS } from '../../../domain/catalog/model-operation.ts';
import { notFound } from '../../../engine/admin/admin-error.ts';
import { limitOf, pageOf, placeAfter } from '../../../engine/admin/page.ts';
import { providerView } from '../../../engine/admin/providers/read-providers.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { type ManagementRoute, paramOf, route } from '../route.ts';

const PROVIDER = z
  .looseObject({
    object: z.literal('provider'),
    id: z.string().meta({ description: 'The value of a channel’s `provider`.' }),
    name: z.string(),
    formats: z
      .array(z.object({ name: z.string(), only_if_named: z.boolean() }))
      .meta({ description: 'In order of preference. `only_if_named`: used only if the channel’s `formats` names it.' }),
    operations: z.array(z.enum(OPERATIONS)),
    base_url: z.string().nullable().meta({ description: 'The default address of its channels.' }),
    base_url_required: z.boolean(),
    api_key: z.object({
      required: z.boolean(),
      pattern: z.string().nullable().meta({
        description:
          'A JavaScript regular expression that recognizes its keys, if they are distinctive. Other keys may be valid, too.',
      }),
      environment_variables: z.array(z.string()),
    }),
    settings: z.record(z.string(), z.unknown()).nullable().meta({
      description: 'A JSON Schema of a channel’s `settings`. `null` if there are none.',
    }),
    built_in: z.boolean().meta({ description: 'Whether it runs inside the gateway.' }),
    discovered: z.boolean().meta({
      description: 'Whether it runs on this machine or network without a key, so that the gateway can find it.',
    }),
    lists_models: z.boolean().meta({ description: 'Whether it can list the models that a key can use.' }),
    models_known: z.number(),
    relays: z.array(z.string()).meta({ description: 'Further APIs that can be used over an account’s own channels.' }),
    relays_batches: z
      .boolean()
      .meta({ description: 'Whether lines of batches can go into batches of the provider (`batches` of a channel).' }),
  })
  .meta({ id: 'Provider' });

const TAG = 'Providers';
const ACCESS = { who: 'account', role: 'viewer', scope: 'channels:read', orAll: true } as const;

/** Returns `providers`: the providers that channels can use, with the settings that each needs. */
export function providerRoutes(providers: Providers): readonly ManagementRoute[] {
  // The providers are fixed at build time, so they are described once, on first use.
  let described: readonly ReturnType<typeof describe>[] | undefined;
  const all = () => {
    described ??= [...providers.values()].map(describe).sort((a, b) => (a.id < b.id ? -1 : 1));
    return described;
  };
  return [
    route({
      ...{ method: 'get', path: '/providers', operationId: 'listProviders', tag: TAG, isList: true, access: ACCESS },
      summary: 'List providers',
      description: 'Ordered by id.',
      answer: { description: 'A page of providers', schema: listSchema(PROVIDER) },
      handle: ({ query }) => {
        const limit = limitOf(query);
        const [after = ''] = placeAfter(query, 1) ?? [];
        const rest = all().filter(({ id }) => id > after);
        const page = pageOf(rest, limit, ({ id }) => [id]);
        return {
          ...pageAnswer(page, ({ body }) => body),
          etag: etagOfTags([...page.items.map(({ etag }) => etag), page.next ?? '']),
        };
      },
    }),
    route({
      ...{ method: 'get', path: '/providers/{id}', operationId: 'getProvider', tag: TAG, access: ACCESS },
      summary: 'Read a provider',
      answer: { description: 'The provider', schema: PROVIDER },
      handle: (call) => {
        const id = paramOf(call, 'id');
        const found = all().find((one) => one.id === id);
        if (found === undefined) throw notFound('provider', id, all());
        return { body: found.body, etag: found.etag };
      },
    }),
  ];
}

function describe(manifest: Parameters<typeof providerView>[0]) {
  const body = { object: 'provider' as const, ...providerView(manifest) };
  return { id: manifest.name, body, etag: tagOf(JSON.stringify(body)) };
}

function etagOfTags(tags: readonly string[]): string {
  return tagOf(tags.join());
}

function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
