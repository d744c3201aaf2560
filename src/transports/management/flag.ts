import { z } from 'zod';

/** A parameter of the query that is `true` or `false`; `undefined` where it is left out. */
export function flag(description: string) {
  return z
    .string()
    .refine((text) => text === 'true' || text === 'false', { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });
}
