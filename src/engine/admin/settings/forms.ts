import { z } from 'zod';
import { isMap } from './leaves.ts';
import { SECTIONS } from './sections.ts';

/** A JSON Schema of each section that can be changed over the API. */
export const FORMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  Object.entries(SECTIONS).map(([name, { schema }]) => [
    name,
    z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' }),
  ]),
);

/** Returns the paths of all fields that a section can have, whether or not they are set. */
export function fieldsOf(section: string): readonly string[] {
  return pathsOf(FORMS[section]);
}

/** Returns the paths of all fields of a JSON Schema. */
export function pathsOf(schema: unknown, prefix = ''): readonly string[] {
  if (!isMap(schema) || !isMap(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    isMap(inner) && isMap(inner.properties) ? pathsOf(inner, `${prefix}${name}.`) : [prefix + name],
  );
}
