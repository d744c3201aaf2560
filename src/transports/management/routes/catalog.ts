import { z } from 'zod';
import { MODEL_CATEGORIES } from '../../../domain/catalog/category.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { type SyncMeans, syncPublicList, syncSchema } from '../../../engine/admin/catalog/change-catalog.ts';
import { type ManagementRoute, route } from '../route.ts';

const NAMED = { provider: z.string(), id: z.string() };

const SYNC = z
  .looseObject({
    object: z.literal('catalog_sync'),
    plan: z.string().meta({ description: 'Identifies these changes. Send it with `apply`.' }),
    changes: z.number().meta({ description: 'The number of models that are changed or added.' }),
    applied: z.boolean(),
    list: z.string(),
    source: z.object({ url: z.string().nullable(), date: z.string() }),
    changed: z.array(
      z.looseObject({
        provider: z.string(),
        id: z.string(),
        fields: z.array(
          z.looseObject({
            field: z.string(),
            from: z.string().nullable(),
            to: z.string().nullable(),
            yours: z.string().nullable().meta({ description: 'Your declared value, which stays in force.' }),
          }),
        ),
      }),
    ),
    added: z.array(
      z.looseObject({ ...NAMED, name: z.string(), category: z.enum(MODEL_CATEGORIES), pricing: z.unknown() }),
    ),
    measured_otherwise: z.array(z.looseObject(NAMED)).meta({
      description: 'Models that are left unchanged because the list has their prices in another unit.',
    }),
    newer_prices: z.array(z.looseObject(NAMED)).meta({
      description: 'Models that are left unchanged because their current prices are more recent.',
    }),
    unchanged: z.number(),
    unknown: z.number().meta({ description: 'The number of rows in the list that the catalog does not have.' }),
    skipped: z.number().meta({
      description: 'The number of rows left out: other providers, not models, duplicates, and malformed ones.',
    }),
    malformed: z.number(),
    first_malformed: z.array(z.string()).meta({ description: 'The first few, each as `name: reason`.' }),
    refused: z.array(z.looseObject({ provider: z.string(), id: z.string(), problem: z.string() })),
  })
  .meta({ id: 'CatalogSync' });

/** Returns `catalog/sync`: previewing and importing public price lists. */
export function catalogRoutes(means: Omit<SyncMeans, 'directory'>): readonly ManagementRoute[] {
  let isRunning = false;
  return [
    route({
      ...{ method: 'post', path: '/catalog/sync', operationId: 'syncCatalog', tag: 'Catalog' },
      summary: 'Preview or import a public price list',
      description:
        'Without `apply`, the response shows what would change, and has a `plan`. Send that `plan` with `apply` to make exactly these changes. If the list or the catalog has changed since, nothing is changed (412).',
      access: { who: 'operator', scope: 'catalog:write' },
      // No example: tests would run it against a public host.
      body: { schema: syncSchema },
      answer: { description: 'The changes', schema: SYNC },
      handle: async ({ directory, input }) => {
        if (isRunning)
          throw new AdminError('conflict', 'source', 'another list is being read: wait until it is finished');
        isRunning = true;
        try {
          return {
            body: { object: 'catalog_sync' as const, ...(await syncPublicList({ ...means, directory }, input)) },
          };
        } finally {
          isRunning = false;
        }
      },
    }),
  ];
}
