import { percentDecoded } from '../../../../domain/text/percent-decoded.ts';
import { isRecord } from '../../../../formats/shared/json/record.ts';
import { testPattern } from './pattern.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The context for examining one schema: the target of `#`, and the remaining work; a client's schema may demand any amount. */
export interface Work {
  readonly root: unknown;
  steps: number;
  /** The current nesting of `matches` calls: a cycle of references must not overflow the stack. */
  nesting: number;
  /** Cached results about parts of the schema. */
  readonly sizes: WeakMap<object, number>;
  readonly referring: WeakMap<object, boolean>;
  readonly targets: Map<string, unknown>;
}

const MAXIMUM_NESTING = 400;
/** A step examines one keyword, or this many values or characters. */
const VALUES_PER_STEP = 50;

/** Uses up the steps for examining this many values. */
export function charge(work: Work, values: number): void {
  work.steps -= values / VALUES_PER_STEP;
}

/** Returns whether two JSON values are the same. */
export function isEqual(left: unknown, right: unknown, work: Work): boolean {
  if (!isContainer(left) || !isContainer(right)) return left === right;
  charge(work, 1 + sizeOf(left, work));
  return Bun.deepEquals(left, right, true);
}

/** Returns how many values a list or map of a schema holds; cached. */
function sizeOf(value: object, work: Work): number {
  let size = work.sizes.get(value);
  if (size === undefined) {
    size = 1;
    for (const member of Object.values(value)) size += isContainer(member) ? sizeOf(member, work) : 1;
    work.sizes.set(value, size);
  }
  return size;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a schema has a reference at any depth; cached. */
export function refersOn(schema: unknown, work: Work): boolean {
  if (!isContainer(schema)) return false;
  let refers = work.referring.get(schema);
  if (refers === undefined) {
    refers = '$ref' in schema || Object.values(schema).some((member) => refersOn(member, work));
    work.referring.set(schema, refers);
  }
  return refers;
}

export function newWork(root: unknown, steps: number): Work {
  return { root, steps, nesting: 0, sizes: new WeakMap(), referring: new WeakMap(), targets: new Map() };
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Returns the part of the root that a local reference (`#/$defs/Name`) points to; `true` (anything) for any other. */
export function resolve(reference: string, work: Work): unknown {
  if (!work.targets.has(reference)) work.targets.set(reference, targetOf(reference, work.root));
  return work.targets.get(reference);
}

function targetOf(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return true;
  let target = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = (percentDecoded(step) ?? step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isRecord(target) && Object.hasOwn(target, key)) target = target[key];
    else return true;
  }
  return target;
}

/** Returns whether the value satisfies the schema (draft 2020-12 and the older tuple `items`; formats are not checked). */
export function matches(schema: unknown, value: unknown, work: Work): boolean {
  if (schema === false) return false;
  if (!isRecord(schema) || work.steps <= 0 || work.nesting >= MAXIMUM_NESTING) return true;
  work.steps -= 1;
  work.nesting += 1;
  const result = keywordsMatch(schema, value, work);
  work.nesting -= 1;
  return result;
}

function keywordsMatch(schema: JsonObject, value: unknown, work: Work): boolean {
  const holds = (part: unknown): boolean => matches(part, value, work);
  return (
    (typeof schema.$ref !== 'string' || holds(resolve(schema.$ref, work))) &&
    ofType(schema.type, value) &&
    (!('const' in schema) || isEqual(schema.const, value, work)) &&
    (!Array.isArray(schema.enum) || isOneOf(schema.enum, value, work)) &&
    listOf(schema.allOf).every(holds) &&
    (!Array.isArray(schema.anyOf) || schema.anyOf.some(holds)) &&
    (!Array.isArray(schema.oneOf) || schema.oneOf.filter(holds).length === 1) &&
    (!('not' in schema) || !holds(schema.not)) &&
    (typeof value !== 'number' || numberMatches(schema, value)) &&
    (typeof value !== 'string' || stringMatches(schema, value, work)) &&
    (!Array.isArray(value) || arrayMatches(schema, value, work)) &&
    (!isRecord(value) || objectMatches(schema, value, work))
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
      return isRecord(value);
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
    // 0.3 counts as a multiple of 0.1, although binary fractions are inexact.
    Math.abs(quotient - Math.round(quotient)) < 1e-9
  );
}

function isOneOf(options: readonly unknown[], value: unknown, work: Work): boolean {
  charge(work, options.length);
  return options.some((option) => isEqual(option, value, work));
}

function stringMatches(schema: JsonObject, value: string, work: Work): boolean {
  charge(work, value.length);
  const length = [...value].length;
  return (
    length >= (numberOf(schema.minLength) ?? 0) &&
    length <= (numberOf(schema.maxLength) ?? length) &&
    (typeof schema.pattern !== 'string' || matchesPattern(schema.pattern, value, work))
  );
}

function matchesPattern(pattern: string, value: string, work: Work): boolean {
  const characters = { steps: work.steps * VALUES_PER_STEP };
  const result = testPattern(pattern, value, characters);
  work.steps = characters.steps / VALUES_PER_STEP;
  return result;
}

function arrayMatches(schema: JsonObject, value: readonly unknown[], work: Work): boolean {
  const prefix = Array.isArray(schema.items) ? schema.items : listOf(schema.prefixItems);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  return (
    value.length >= (numberOf(schema.minItems) ?? 0) &&
    value.length <= (numberOf(schema.maxItems) ?? value.length) &&
    (schema.uniqueItems !== true || new Set(value.map((item) => JSON.stringify(item))).size === value.length) &&
    value.every((item, index) => matches(index < prefix.length ? prefix[index] : rest, item, work))
  );
}

function objectMatches(schema: JsonObject, value: JsonObject, work: Work): boolean {
  const keys = Object.keys(value);
  return (
    keys.length >= (numberOf(schema.minProperties) ?? 0) &&
    keys.length <= (numberOf(schema.maxProperties) ?? keys.length) &&
    requiredBy(schema).every((key) => Object.hasOwn(value, key)) &&
    keys.every(
      (key) =>
        matches(schema.propertyNames, key, work) &&
        propertySchemas(schema, key, work).every((part) => matches(part, value[key], work)),
    )
  );
}

/** Returns the keys that the object must have. */
export function requiredBy(schema: JsonObject): string[] {
  return listOf(schema.required).filter((key) => typeof key === 'string');
}

/** Returns every schema that applies to the property; `[false]` if the property is not allowed. */
export function propertySchemas(schema: JsonObject, key: string, work: Work): unknown[] {
  const { properties, patternProperties, additionalProperties = true } = schema;
  const parts: unknown[] = [];
  if (isRecord(properties) && Object.hasOwn(properties, key)) parts.push(properties[key]);
  // Even listing all patterns takes time.
  if (isRecord(patternProperties) && work.steps > 0) {
    for (const pattern in patternProperties) {
      if (work.steps <= 0) break;
      if (matchesPattern(pattern, key, work)) parts.push(patternProperties[pattern]);
    }
  }
  return parts.length > 0 ? parts : [additionalProperties];
}
