import { z } from 'zod';

/** Describes a query parameter that is `true` or `false`; `undefined` if omitted. */
export function flag(description: string) {
  return z
    .string()
    .refine((text) => text === 'true' || text === 'false', { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });
}
