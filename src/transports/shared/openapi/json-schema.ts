/** A schema object of OpenAPI 3.0.3, as plain JSON. */
export interface JsonSchema {
  [member: string]: unknown;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The prefix of a reference to a named schema. */
export const COMPONENT_PREFIX = '#/components/schemas/';

/** Accepts only `null`, for which OpenAPI 3.0.3 has no type. */
export const NULL_SCHEMA: JsonSchema = { type: 'string', nullable: true, enum: [null] };

/** Members whose values are a schema or a list of schemas. */
const ONE = ['items', 'additionalProperties', 'not'];
const SEVERAL = ['anyOf', 'oneOf', 'allOf'];

/** Replaces every schema directly inside of this one by the result of `replace`, which also gets the name of its place. */
export function mapInner(schema: JsonSchema, replace: (inner: JsonSchema, step: string) => JsonSchema): void {
  for (const member of ONE) {
    const inner = schema[member];
    if (isSchema(inner)) schema[member] = replace(inner, member === 'items' ? '' : member);
  }
  for (const member of SEVERAL) {
    const list = schema[member];
    if (Array.isArray(list)) schema[member] = list.map((inner) => (isSchema(inner) ? replace(inner, '') : inner));
  }
  const { properties } = schema;
  if (!isSchema(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    if (isSchema(inner)) properties[name] = replace(inner, name);
  }
}

/** Converts `response_format` to `ResponseFormat`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
