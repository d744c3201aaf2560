/** A schema object of OpenAPI 3.0.3, as plain JSON. */
export interface JsonSchema {
  [member: string]: unknown;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `#/components/schemas/Name` of a name. */
export const COMPONENT_PREFIX = '#/components/schemas/';

/** A value that is `null`, which OpenAPI 3.0.3 has no type for. */
export const NULL_SCHEMA: JsonSchema = { type: 'string', nullable: true, enum: [null] };

/** Members whose values are schemas, lists of schemas, and schemas by name. */
const ONE = ['items', 'additionalProperties', 'not'];
const SEVERAL = ['anyOf', 'oneOf', 'allOf'];

/** Every schema inside of this one, with the name by which it is reached; replaced by what `replace` gives. */
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

/** `response_format` → `ResponseFormat`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
