export type JsonObject = Readonly<Record<string, unknown>>;

/** One look at one schema: what `#` means, and how much work is left; a client's schema may ask for any amount. */
export interface Work {
  readonly root: unknown;
  steps: number;
  /** How many calls of `matches` are within each other now: a circle of references must not fill the stack. */
  nesting: number;
}

const MAXIMUM_NESTING = 400;

/**
 * Longer strings are not tested against a pattern: it comes from a client, and a backtracking match may take time
 * exponential in the string's length.
 */
const MAXIMUM_TESTED_LENGTH = 20;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same. */
export function isEqual(left: unknown, right: unknown): boolean {
  return Bun.deepEquals(left, right, true);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The part of the root that a local reference (`#/$defs/Name`) points to; `true` (anything) for every other. */
export function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return true;
  let target = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isObject(target) && Object.hasOwn(target, key)) target = target[key];
    else return true;
  }
  return target;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export function testPattern(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string' || text.length > MAXIMUM_TESTED_LENGTH) return true;
  return compile(pattern, 'u')?.test(text) ?? compile(pattern, '')?.test(text) ?? true;
}

function compile(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

/** Whether the value satisfies the schema (draft 2020-12 and the older tuple `items`; formats are not checked). */
export function matches(schema: unknown, value: unknown, work: Work): boolean {
  if (schema === false) return false;
  if (!isObject(schema) || work.steps <= 0 || work.nesting >= MAXIMUM_NESTING) return true;
  work.steps -= 1;
  work.nesting += 1;
  const result = keywordsMatch(schema, value, work);
  work.nesting -= 1;
  return result;
}

function keywordsMatch(schema: JsonObject, value: unknown, work: Work): boolean {
  const holds = (part: unknown): boolean => matches(part, value, work);
  return (
    (typeof schema.$ref !== 'string' || holds(resolve(schema.$ref, work.root))) &&
    ofType(schema.type, value) &&
    (!('const' in schema) || isEqual(schema.const, value)) &&
    (!Array.isArray(schema.enum) || schema.enum.some((option) => isEqual(option, value))) &&
    listOf(schema.allOf).every(holds) &&
    (!Array.isArray(schema.anyOf) || schema.anyOf.some(holds)) &&
    (!Array.isArray(schema.oneOf) || schema.oneOf.filter(holds).length === 1) &&
    (!('not' in schema) || !holds(schema.not)) &&
    (!('if' in schema) || holds((holds(schema.if) ? schema.then : schema.else) ?? true)) &&
    (typeof value !== 'number' || numberMatches(schema, value)) &&
    (typeof value !== 'string' || stringMatches(schema, value)) &&
    (!Array.isArray(value) || arrayMatches(schema, value, work)) &&
    (!isObject(value) || objectMatches(schema, value, work))
  );
}

function ofType(type: unknown, value: unknown): boolean {
  if (typeof type === 'string') return isOfType(type, value);
  return !Array.isArray(type) || type.some((name) => isOfType(name, value));
}

function isOfType(name: unknown, value: unknown): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === name;
  }
}

function numberMatches(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const quotient = typeof multipleOf === 'number' ? value / multipleOf : 0;
  return (
    (typeof minimum !== 'number' || value >= minimum) &&
    (typeof maximum !== 'number' || value <= maximum) &&
    (typeof exclusiveMinimum !== 'number' || value > exclusiveMinimum) &&
    (typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum) &&
    // 0.3 is a multiple of 0.1, whatever binary fractions say.
    Math.abs(quotient - Math.round(quotient)) < 1e-9
  );
}

function stringMatches(schema: JsonObject, value: string): boolean {
  const length = [...value].length;
  return (
    length >= (numberOf(schema.minLength) ?? 0) &&
    length <= (numberOf(schema.maxLength) ?? length) &&
    testPattern(schema.pattern, value)
  );
}

function arrayMatches(schema: JsonObject, value: readonly unknown[], work: Work): boolean {
  const prefix = Array.isArray(schema.items) ? schema.items : listOf(schema.prefixItems);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  const contained = 'contains' in schema ? value.filter((item) => matches(schema.contains, item, work)).length : 0;
  return (
    value.length >= (numberOf(schema.minItems) ?? 0) &&
    value.length <= (numberOf(schema.maxItems) ?? value.length) &&
    (schema.uniqueItems !== true || new Set(value.map((item) => JSON.stringify(item))).size === value.length) &&
    (!('contains' in schema) || contained >= (numberOf(schema.minContains) ?? 1)) &&
    contained <= (numberOf(schema.maxContains) ?? contained) &&
    value.every((item, index) => matches(index < prefix.length ? prefix[index] : rest, item, work))
  );
}

function objectMatches(schema: JsonObject, value: JsonObject, work: Work): boolean {
  const keys = Object.keys(value);
  return (
    keys.length >= (numberOf(schema.minProperties) ?? 0) &&
    keys.length <= (numberOf(schema.maxProperties) ?? keys.length) &&
    requiredBy(schema, value).every((key) => Object.hasOwn(value, key)) &&
    keys.every(
      (key) =>
        matches(schema.propertyNames, key, work) &&
        propertySchemas(schema, key).every((part) => matches(part, value[key], work)),
    )
  );
}

/** The keys that the object must have, among them those that another present key asks for. */
export function requiredBy(schema: JsonObject, value: JsonObject): string[] {
  const required = listOf(schema.required).filter((key) => typeof key === 'string');
  if (!isObject(schema.dependentRequired)) return required;
  for (const [key, others] of Object.entries(schema.dependentRequired)) {
    if (Object.hasOwn(value, key)) required.push(...listOf(others).filter((other) => typeof other === 'string'));
  }
  return required;
}

/** Every schema that applies to the property of that name; `[false]` when it may not be there. */
export function propertySchemas(schema: JsonObject, key: string): unknown[] {
  const { properties, patternProperties, additionalProperties = true } = schema;
  const parts: unknown[] = [];
  if (isObject(properties) && Object.hasOwn(properties, key)) parts.push(properties[key]);
  if (isObject(patternProperties)) {
    for (const [pattern, part] of Object.entries(patternProperties)) {
      if (key.length <= MAXIMUM_TESTED_LENGTH && testPattern(pattern, key)) parts.push(part);
    }
  }
  return parts.length > 0 ? parts : [additionalProperties];
}
