import { numberOfExact, objectInOrder } from '../../shared/json/exact-json.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import { enumName, numberOf, type WireObject } from './decoding.ts';

/*
 * Converts Google's `Schema` (types in capitals, `nullable`, numbers as text) to JSON Schema for other formats. The client's
 * original value is attached under a symbol, which no serialiser writes, so that an upstream of this format gets it
 * unchanged.
 */

const ORIGINAL = Symbol('the schema as a Gemini client sent it');

/** The member that held the schema, and its value. */
interface OriginalSchema {
  readonly member: string;
  readonly value: unknown;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the original form of a Gemini client's schema; `undefined` for other clients. */
export function originalOf(schema: JsonSchema): OriginalSchema | undefined {
  // The symbol is private to this module, so its value is always the one that `remember` stored.
  return (schema as { readonly [ORIGINAL]?: OriginalSchema })[ORIGINAL];
}

export function remember(schema: JsonSchema, original: OriginalSchema): JsonSchema {
  return Object.defineProperty({ ...schema }, ORIGINAL, { value: original, enumerable: false });
}

/** Type in the order of its numbers. */
const TYPES = ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

/** The JSON of protocol buffers has 64-bit numbers as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
]);

const CAMEL: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  max_items: 'maxItems',
  min_items: 'minItems',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  min_length: 'minLength',
  max_length: 'maxLength',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/** Converts Google's Schema to JSON Schema. A plain JSON Schema, which many clients send instead, stays unchanged. */
export function jsonSchemaOf(schema: WireObject): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const key in schema) {
    const value = schema[key];
    const name = entryOf(CAMEL, key) ?? key;
    if (value === null || value === undefined || name === 'nullable' || (name === 'type' && isUnspecified(value)))
      continue;
    setMember(result, name, memberOfSchema(name, value));
  }
  // Google's own mark for a string with `enum`; JSON Schema has no such format.
  if (result.format === 'enum') delete result.format;
  return schema.nullable === true ? orNull(result) : result;
}

function memberOfSchema(name: string, value: unknown): unknown {
  if (name === 'type') return Array.isArray(value) ? value.map(typeOf) : typeOf(value);
  if (name === 'properties' || name === '$defs' || name === 'definitions')
    return isRecord(value) ? mapped(value) : value;
  if (name === 'items' || name === 'additionalProperties') return isRecord(value) ? jsonSchemaOf(value) : value;
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf' || name === 'prefixItems') {
    return Array.isArray(value) ? value.map((branch) => (isRecord(branch) ? jsonSchemaOf(branch) : branch)) : value;
  }
  return COUNTS.has(name) ? (numberOf(value) ?? value) : value;
}

function mapped(schemas: WireObject): WireObject {
  return objectInOrder(
    Object.entries(schemas).map(([key, schema]) => [key, isRecord(schema) ? jsonSchemaOf(schema) : schema]),
  );
}

/** Returns whether the type is the zero value of the enum, which means that no type is set. */
function isUnspecified(type: unknown): boolean {
  return nameOfType(type) === TYPES[0];
}

function typeOf(value: unknown): unknown {
  return nameOfType(value)?.toLowerCase() ?? value;
}

/** Returns the type's name; its number may be written as `6.0`, as serialisers of floating-point numbers do. */
function nameOfType(value: unknown): string | null {
  return enumName(numberOfExact(value), TYPES);
}

function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type } = schema;
  if (typeof type === 'string') {
    const values = schema.enum;
    return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
  }
  return Array.isArray(schema.anyOf) ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] } : schema;
}
