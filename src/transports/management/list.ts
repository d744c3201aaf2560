import { z } from 'zod';
import { LARGEST_PAGE, type Page } from '../../engine/admin/page.ts';
import type { ManagementAnswer } from './route.ts';

/** What every list takes. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: `must be a whole number from 1 to ${LARGEST_PAGE}` })
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: LARGEST_PAGE, description: `How many at most (default 50).` }),
  after: z.string().optional().meta({ description: 'The `next` of the page before; without it the list begins.' }),
});

export const accountQuery = z.strictObject({
  account_id: z.string().optional().meta({
    description:
      "The account that is meant. Left out: the token's own, or the only one that a person belongs to; for operators, on lists, all.",
  }),
});

/** Whole lists are never sent: a page, and how to get the next. */
export function listSchema(item: z.ZodType) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    next: z.string().nullable().meta({ description: 'The `after` of the next page; `null` where there is none.' }),
  });
}

export function listAnswer<Item>(page: Page<Item>, view: (item: Item) => object): ManagementAnswer {
  const { items, next } = page;
  return { body: { object: 'list', data: items.map(view), has_more: next !== null, next } };
}
