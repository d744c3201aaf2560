import { z } from 'zod';
import { AdminError } from '../../engine/admin/admin-error.ts';
import { checkInput } from '../../engine/admin/schema/check-input.ts';
import { accountQuery, pageQuery } from './list.ts';
import type { ManagementRoute } from './route.ts';

/** Returns the schema of all query parameters of a route. */
export function querySchema({ access, isList, query }: ManagementRoute): z.ZodObject {
  const isAboutAccount = access.who === 'account' || access.who === 'operator';
  return z.strictObject({
    ...(isAboutAccount ? accountQuery.shape : {}),
    ...(isList === true ? pageQuery.shape : {}),
    ...query?.shape,
  });
}

/** Parses the query by its schema. Throws an `AdminError` that names the parameter. */
export function readQuery(schema: z.ZodObject, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const written: Record<string, string> = {};
  for (const [name, value] of query) {
    // PostgreSQL cannot store a NUL character, and no name contains one.
    if (value.includes('\0')) throw new AdminError('invalid_value', name, 'must not contain a NUL character');
    if (Object.hasOwn(written, name)) throw new AdminError('invalid_value', name, 'is given twice');
    Object.defineProperty(written, name, { value, enumerable: true });
  }
  return checkInput(schema, ['query'], written);
}

/** Describes a query parameter that is `true` or `false`; `undefined` if omitted. */
export function flag(description: string) {
  return z
    .string()
    .refine((text) => text === 'true' || text === 'false', { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });
}
