import { z } from 'zod';
import { COMPONENT_PREFIX, isSchema, type JsonSchema, mapInner, NULL_SCHEMA, pascalCase } from './json-schema.ts';

/** Whether a schema describes what is sent to the gateway (`input`) or what the gateway sends. */
export type Direction = 'input' | 'output';

/** A meta member that marks what the gateway accepts but does not document, such as another spelling of a name. */
const HIDDEN = 'hidden';
/** The member that holds a union's discriminator until it is rewritten for OpenAPI. */
const DISCRIMINATOR = 'x-discriminator';
/** Formats whose patterns are redundant. */
const FORMATS_WITHOUT_PATTERN: ReadonlySet<unknown> = new Set(['date-time', 'date', 'uuid', 'email', 'uri']);
const DEFINITIONS = '#/definitions/';

/** Collects the named schemas of a document, converting the output of `z.toJSONSchema` to OpenAPI 3.0.3. */
export class SchemaComponents {
  private readonly named = new Map<string, JsonSchema>();
  /** The schemas as generated, before descriptions of members were added. */
  private readonly texts = new Map<string, string>();
  /** The named schemas inside of the one that is being added. */
  private pending: JsonSchema = {};
  /** New names for those whose name is already taken by another schema. */
  private renamed = new Map<string, string>();

  /** @param prefix prepended to a name that another schema already has */
  constructor(private prefix = '') {}

  /** Starts another part of the service, with its prefix. */
  ofPart(prefix: string): void {
    this.prefix = prefix;
  }

  /**
   * Adds a schema and returns its form in the document: a reference if it has an id. `name` is the base for parts of a union that need
   * names.
   */
  add(schema: z.ZodType, direction: Direction, name: string): JsonSchema {
    const { definitions, ...root } = z.toJSONSchema(schema, {
      target: 'openapi-3.0',
      io: direction,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => adjust(zodSchema, jsonSchema as JsonSchema),
    }) as JsonSchema;
    this.pending = isSchema(definitions) ? definitions : {};
    const texts = Object.entries(this.pending).map(([id, definition]) => [id, JSON.stringify(definition)] as const);
    this.renamed = new Map(texts.map(([id, text]) => [id, this.freeName(id, text)]));
    for (const [id, definition] of Object.entries(this.pending)) {
      const given = this.renamed.get(id) ?? id;
      if (isSchema(definition) && !this.named.has(given)) this.named.set(given, this.written(definition, given));
    }
    return this.written(root, name);
  }

  /** Does the same, and names an object without an id. */
  addNamed(schema: z.ZodType, direction: Direction, name: string | null): JsonSchema {
    const written = this.add(schema, direction, name ?? 'Content');
    const isNamed = name !== null && isSchema(written.properties);
    return isNamed ? this.put(name, written) : written;
  }

  /** Returns all schemas, sorted by name. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.named].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Returns the schema behind a reference, or the given one if it is not a reference. */
  resolved(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    const name = typeof $ref === 'string' ? $ref.slice(COMPONENT_PREFIX.length) : null;
    const found = name === null ? undefined : (this.named.get(name) ?? this.pending[this.originalOf(name)]);
    return isSchema(found) ? found : schema;
  }

  private originalOf(name: string): string {
    return [...this.renamed].find(([, given]) => given === name)?.[0] ?? name;
  }

  private put(name: string, schema: JsonSchema): JsonSchema {
    const given = this.freeName(name, JSON.stringify(schema));
    if (!this.named.has(given)) this.named.set(given, schema);
    return { $ref: `${COMPONENT_PREFIX}${given}` };
  }

  /** Returns the name if it is free, else a modified one: two parts of the service may use the same name for different things. */
  private freeName(name: string, text: string): string {
    let candidate = name;
    for (let number = 1; (this.texts.get(candidate) ?? text) !== text; number++) {
      candidate = this.prefix + name + (number === 1 ? '' : number);
    }
    this.texts.set(candidate, text);
    return candidate;
  }

  /** Modifies the schema in place, which belongs to this call. */
  private written(schema: JsonSchema, name: string): JsonSchema {
    const { $ref } = schema;
    if (typeof $ref === 'string') {
      const id = $ref.replace(DEFINITIONS, '');
      return { $ref: COMPONENT_PREFIX + (this.renamed.get(id) ?? id) };
    }
    withoutHidden(schema);
    mapInner(schema, (inner, step) => this.written(inner, name + pascalCase(step)));
    return simplified(nullableWritten(this.discriminated(schema, name)));
  }

  /** Gives names to the branches of a discriminated union, which OpenAPI requires. */
  private discriminated(schema: JsonSchema, name: string): JsonSchema {
    const { [DISCRIMINATOR]: propertyName, ...rest } = schema;
    if (typeof propertyName !== 'string' || !Array.isArray(rest.oneOf)) return schema;
    const branches: readonly JsonSchema[] = rest.oneOf.filter(isSchema);
    const values = branches.map((branch) => valuesOf(this.resolved(branch), propertyName));
    if (values.some((list) => list.length === 0)) return rest;
    const mapping: Record<string, string> = {};
    const oneOf = branches.map((branch, index) => {
      const [first = '', ...others] = values[index] ?? [];
      const reference = '$ref' in branch ? branch : this.put(name + pascalCase(first), branch);
      for (const value of [first, ...others]) mapping[value] = String(reference.$ref);
      return reference;
    });
    return { ...rest, oneOf, discriminator: { propertyName, mapping } };
  }
}

/** Corrects what Zod's own conversion does differently or leaves open. */
function adjust(zodSchema: z.core.$ZodType, json: JsonSchema): void {
  const { def } = zodSchema._zod;
  if (def.type === 'object') {
    // Objects accept other members unless they are strict.
    const { catchall } = def as z.core.$ZodObjectDef;
    if (catchall === undefined && json.additionalProperties === false) delete json.additionalProperties;
  }
  if (def.type === 'union' && 'discriminator' in def && json.oneOf !== undefined)
    json[DISCRIMINATOR] = def.discriminator;
  if (json.type === 'number' && json.multipleOf === 1) {
    json.type = 'integer';
    delete json.multipleOf;
  }
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (FORMATS_WITHOUT_PATTERN.has(json.format)) delete json.pattern;
  delete json.contentEncoding;
  delete json.contentMediaType;
}

function withoutHidden(schema: JsonSchema): void {
  const { properties, required } = schema;
  if (!isSchema(properties)) return;
  const hidden = Object.keys(properties).filter((name) => {
    const property = properties[name];
    return isSchema(property) && property[HIDDEN] === true;
  });
  for (const name of hidden) delete properties[name];
  if (Array.isArray(required)) {
    const rest = required.filter((name) => !hidden.includes(name));
    if (rest.length > 0) schema.required = rest;
    else delete schema.required;
  }
}

/** Removes redundant parts: an `allOf` of one schema, and an empty list of members. */
function simplified(schema: JsonSchema): JsonSchema {
  const { allOf, properties, ...rest } = schema;
  if (Array.isArray(allOf) && allOf.length === 1 && isSchema(allOf[0]) && Object.keys(schema).length === 1)
    return allOf[0];
  if (!isSchema(properties) || Object.keys(properties).length > 0) return schema;
  return { ...rest, additionalProperties: rest.additionalProperties ?? true };
}

function valuesOf({ properties }: JsonSchema, name: string): string[] {
  const property = isSchema(properties) ? properties[name] : undefined;
  const values = isSchema(property) && Array.isArray(property.enum) ? property.enum : [];
  return values.filter((value) => typeof value === 'string');
}

/**
 * Rewrites `nullable`, which has a meaning only beside a `type` (OpenAPI 3.0.3, Schema Object), and with an `enum` only if that contains
 * null.
 */
function nullableWritten(schema: JsonSchema): JsonSchema {
  const { nullable, ...rest } = schema;
  if (nullable !== true) return schema;
  if (rest.type !== undefined) {
    if (!Array.isArray(rest.enum) || rest.enum.includes(null)) return schema;
    return { ...schema, enum: [...rest.enum, null] };
  }
  const { allOf, anyOf, oneOf, discriminator, $ref, ...beside } = rest;
  if (Array.isArray(anyOf)) return { ...beside, anyOf: [...anyOf, NULL_SCHEMA] };
  if (Array.isArray(oneOf))
    return { ...beside, anyOf: [{ oneOf, ...(discriminator ? { discriminator } : {}) }, NULL_SCHEMA] };
  if (Array.isArray(allOf) && allOf.length === 1) return { ...beside, anyOf: [allOf[0], NULL_SCHEMA] };
  // The schema accepts any value, including null.
  return rest;
}
