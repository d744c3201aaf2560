import { z } from 'zod';
import { MODALITIES, MODEL_FEATURES } from '../../../domain/catalog/capabilities.ts';
import { MODEL_CATEGORIES } from '../../../domain/catalog/category.ts';
import { MODEL_STATUSES } from '../../../domain/catalog/model.ts';
import { OPERATIONS } from '../../../domain/catalog/model-operation.ts';
import type { SuccessSnapshot } from '../../../domain/catalog/preference.ts';
import type { Turns } from '../../../domain/concurrency/slices.ts';
import { STRATEGIES } from '../../../domain/routing/order.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { etagOf, modelState, refuseStale } from '../../../engine/admin/audit/object-states.ts';
import { changeModel, declareModel, removeDeclaration } from '../../../engine/admin/models/change-models.ts';
import {
  listedModelView,
  listModels,
  PRICE_LAYERS,
  showModel,
  shownModelView,
} from '../../../engine/admin/models/read-models.ts';
import {
  listUsableModels,
  showUsableModel,
  type UsableModel,
  usableModelView,
} from '../../../engine/admin/models/usable-models.ts';
import { modelSchema } from '../../../engine/admin/schema/model.ts';
import type { Directory } from '../../../engine/directory/directory.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../../engine/ports/directory-store.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { modelPricingChange } from '../../../providers/shared/price-syntax.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { flag } from '../read-query.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';

export interface ModelRoutesOptions {
  readonly store: { readonly directory: DirectoryStore };
  readonly providers: Providers;
  readonly clock: Clock;
  readonly turns: Turns;
  /** Returns the directory that is in force in this process. */
  readonly directory: () => Directory;
  /** Returns the latest success rates; `null` before the first computation. */
  readonly snapshot: () => SuccessSnapshot | null;
}

const PRICE_SOURCE = z.object({ url: z.string().nullable(), date: z.string().nullable() });

const MODEL = z
  .looseObject({
    object: z.literal('model'),
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    category: z.enum(MODEL_CATEGORIES),
    owned_by: z.string(),
    tags: z.array(z.string()),
    operations: z.array(z.enum(OPERATIONS)),
    capabilities: z
      .looseObject({
        input: z.array(z.enum(MODALITIES)),
        output: z.array(z.enum(MODALITIES)),
        features: z.array(z.enum(MODEL_FEATURES)),
        context_tokens: z.number().nullable(),
        max_output_tokens: z.number().nullable(),
        dimensions: z.number().nullable(),
      })
      .nullable(),
    status: z.enum(MODEL_STATUSES).meta({
      description: '`public`: listed and served; `hidden`: served but not listed; `hold`: not served.',
    }),
    pricing: z
      .unknown()
      .meta({ description: 'With the members of the configuration file. `null` if the price is unknown.' }),
    price_source: PRICE_SOURCE.nullable(),
    success_rate_24h: z.number().nullable().meta({
      description: 'Across all accounts, updated every few minutes. `null` if there were no requests.',
    }),
    samples_24h: z.number(),
    channels: z.array(z.string()).meta({
      description: 'The channels that serve it. Members of an account see only the account’s own.',
    }),
    own_channels: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .optional()
      .meta({
        description: 'Members of an account only: the same channels with their names.',
      }),
    sandbox: z.boolean().optional().meta({ description: 'Operators only: whether only the sandbox serves it.' }),
    price_layer: z.enum(PRICE_LAYERS).nullish().meta({
      description: 'Operators only: the source of the price in force. `null` if the price is unknown.',
    }),
    managed_by: z.enum(['file', 'environment', 'api']).nullish().meta({
      description: 'Operators only: where the model is declared. `null` if it is not.',
    }),
    strategy: z.enum(STRATEGIES).nullish().meta({ description: 'Operators only.' }),
    rules: z.array(z.record(z.string(), z.unknown())).nullish().meta({
      description:
        'Operators only: the rules by which the model of each request is chosen, with the members of the configuration file. `null` for a model that answers itself.',
    }),
    fallbacks: z.array(z.string()).optional().meta({
      description: 'Operators only: the models that are asked if this one cannot answer.',
    }),
    guards: z.array(z.string()).nullish().meta({
      description: 'Operators only: the ids of the guards that apply to requests that may reach it.',
    }),
    search: z.string().nullish().meta({
      description:
        'The search model for hosted web searches over channels that cannot search, or `none`. `null`: the gateway’s setting.',
    }),
    batch_price_percent: z.number().nullish().meta({
      description: 'Operators only: the percentage of its prices that lines of batches cost. `null` for the setting.',
    }),
    cache: z.record(z.string(), z.unknown()).nullish().meta({
      description: 'Operators only: with the members of the configuration file.',
    }),
  })
  .meta({ id: 'ManagedModel' });

const SERVING = z.looseObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  model: z.string().meta({ description: 'The public id.' }),
  upstream_model: z.string(),
  enabled: z.boolean(),
});
const LAYER = z.record(z.string(), z.unknown()).nullable();

const SYNCED = z
  .looseObject({
    source: PRICE_SOURCE,
    facts: z.record(z.string(), z.unknown()),
  })
  .nullable();

const SHOWN = MODEL.extend({
  channels: z.array(z.union([z.string(), SERVING])).meta({
    description:
      'For operators, with each channel’s upstream model id; for others, only the ids of the account’s own channels.',
  }),
  yours: z
    .looseObject({
      managed_by: z.enum(['file', 'environment', 'api']),
      fields: z.array(z.string()).meta({ description: 'The declared fields. Capabilities are listed one by one.' }),
    })
    .nullish(),
  released: z.string().nullish().meta({ description: 'Operators only: for example `2026-01-31`.' }),
  catalog: LAYER.optional().meta({ description: 'Operators only: the line of the catalog behind the model.' }),
  also_known_of: z
    .array(z.object({ provider: z.string(), pricing: z.unknown() }))
    .optional()
    .meta({ description: 'Operators only: other providers with a model of this id.' }),
  layers: z.object({ shipped: LAYER, synced: SYNCED, stated: LAYER }).optional().meta({
    description:
      'Operators only: the facts shipped with Switchyard, those imported from a public list, and those that you declared. Later layers override earlier ones.',
  }),
}).meta({ id: 'ShownModel' });

const FILTERS = z.strictObject({
  status: z.enum(MODEL_STATUSES).optional(),
  category: z.enum(MODEL_CATEGORIES).optional(),
  provider: z.string().optional().meta({ description: 'The provider of a channel that serves it.' }),
  owned_by: z.string().optional(),
  q: z.string().optional().meta({ description: 'Part of its id or name.' }),
  operation: z.enum(OPERATIONS).optional(),
  capability: z.string().optional().meta({
    description: 'A feature (`tools`), or an input or output modality (`image`), as in `capabilities`.',
  }),
  declared: flag('Only models that are declared, or only those that are not.'),
});

const TAG = 'Models';
const READING = { who: 'account', role: 'viewer', scope: 'models:read', orAll: true } as const;
const WRITING = { who: 'operator', scope: 'models:write' } as const;
const { id: _id, ...CHANGEABLE } = modelSchema.shape;

const usableView = (usable: UsableModel) => ({ object: 'model' as const, ...usableModelView(usable) });

function ratesOf(snapshot: SuccessSnapshot | null) {
  const counts = new Map(snapshot?.counts.map((count) => [count.modelId, count]));
  return (id: string) => {
    const { succeeded = 0, failed = 0 } = counts.get(id) ?? {};
    const samples = succeeded + failed;
    return { success_rate_24h: samples === 0 ? null : succeeded / samples, samples_24h: samples };
  };
}

/** Returns `models`: the usable ones for an account, all for operators, with what is known of them. */
export function modelRoutes(options: ModelRoutesOptions): readonly ManagementRoute[] {
  return [...readingRoutes(options), ...writingRoutes(options)];
}

/** Returns a model as operators see it. */
async function shown({ store, providers, snapshot }: ModelRoutesOptions, id: string) {
  const model = await showModel(store.directory, providers, id);
  const state = model.declared === null ? { id, stated: null } : modelState(model.declared);
  const body = { object: 'model' as const, ...shownModelView(model), ...ratesOf(snapshot())(id) };
  return { body, etag: etagOf(state) };
}

function readingRoutes(options: ModelRoutesOptions): readonly ManagementRoute[] {
  const { store, providers, directory, snapshot, turns } = options;
  const sources = () => ({ store: store.directory, directory: directory() });
  return [
    route({
      ...{ method: 'get', path: '/models', operationId: 'listManagedModels', tag: TAG, isList: true, query: FILTERS },
      summary: 'List models',
      description:
        'Ordered by id. The models that the account can use; if an operator omits `account_id`, all models, including hidden ones.',
      access: READING,
      answer: { description: 'A page of models', schema: listSchema(MODEL) },
      handle: async ({ accountId, query }) => {
        const rateOf = ratesOf(snapshot());
        return accountId === null
          ? pageAnswer(await listModels({ store: store.directory, providers, turns }, query), (listed) => ({
              ...{ object: 'model' as const, ...listedModelView(listed) },
              ...rateOf(listed.model.id),
            }))
          : pageAnswer(await listUsableModels(sources(), accountId, query), (usable) => ({
              ...usableView(usable),
              ...rateOf(usable.model.id),
            }));
      },
    }),
    route({
      ...{ method: 'get', path: '/models/{id}', operationId: 'getManagedModel', tag: TAG },
      summary: 'Read a model',
      description: 'Encode a slash in the id as `%2F`.',
      access: READING,
      answer: { description: 'The model', schema: SHOWN },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        if (call.accountId === null) return shown(options, id);
        const body = usableView(await showUsableModel(sources(), call.accountId, id));
        return { body: { ...body, ...ratesOf(snapshot())(id) }, etag: etagOf(body) };
      },
    }),
  ];
}

function writingRoutes(options: ModelRoutesOptions): readonly ManagementRoute[] {
  const { clock, providers } = options;
  return [
    route({
      ...{ method: 'post', path: '/models', operationId: 'declareModel', tag: TAG, access: WRITING },
      summary: 'Declare a model',
      description: 'The model need not be in the catalog. Omitted members keep the catalog’s values.',
      body: {
        schema: modelSchema,
        examples: {
          priced: {
            summary: 'A fine-tuned model with its prices',
            value: { id: 'acme/support-1', category: 'chat', pricing: { input_per_1m: '0.5', output_per_1m: '2' } },
          },
        },
      },
      answer: { status: 201, description: 'The model', schema: SHOWN },
      errors: ['already_exists'],
      handle: async (call) => {
        const { declared, alreadyThere } = await declareModel(call.directory, clock, call.input);
        const answer = await shown(options, declared.id);
        return alreadyThere ? { ...answer, status: 200 } : answer;
      },
    }),
    route({
      ...{ method: 'patch', path: '/models/{id}', operationId: 'updateModel', tag: TAG, access: WRITING },
      summary: 'Change the declaration of a model',
      description:
        'Changes its status, prices, contract and other facts. Omitted members keep their values; `null` restores the catalog’s value. A map of prices changes only those that it names: `null` removes one.',
      body: { schema: z.strictObject({ ...CHANGEABLE, pricing: modelPricingChange.nullish() }) },
      answer: { description: 'The model', schema: SHOWN },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        await refuseStaleModel(options, call, id);
        await changeModel({ store: call.directory, providers, clock }, id, call.input);
        return shown(options, id);
      },
    }),
    route({
      ...{ method: 'delete', path: '/models/{id}', operationId: 'removeModelDeclaration', tag: TAG, access: WRITING },
      summary: 'Delete the declaration of a model',
      description: 'The model stays public while a channel serves it, with the catalog’s facts.',
      answer: { status: 204, description: 'The declaration is deleted' },
      handle: async (call) => {
        const id = paramOf(call, 'id');
        if (await removeDeclaration(call.directory, id)) return {};
        throw new AdminError('not_found', 'model', `the model "${id.slice(0, 100)}" is not declared`);
      },
    }),
  ];
}

/** Checks `If-Match` here, because a model that is not declared yet is not an object of the directory, which checks the others. */
async function refuseStaleModel(options: ModelRoutesOptions, { ifMatch }: ManagementCall, id: string): Promise<void> {
  if (ifMatch === undefined) return;
  const { etag = '' } = await shown(options, id);
  refuseStale(ifMatch, () => etag, 'the model');
}
