import { entryOf, isRecord } from '../../../../formats/shared/json/record.ts';
import { type JsonObject, listOf, numberOf, propertySchemas, requiredBy, type Work } from './match.ts';
import { samplePattern } from './pattern.ts';

/** The position of a value in the instance. */
export interface Place {
  readonly work: Work;
  readonly depth: number;
  /** The references that led here: meeting one again means that the schema is recursive. */
  readonly references: ReadonlySet<string>;
  /** Whether the schema has recurred, so that the shortest way out is taken. */
  readonly closing: boolean;
  /** Values of different variants differ where possible; 0 is the plainest. */
  readonly variant: number;
}

export interface Picked {
  readonly value: unknown;
  readonly valid: boolean;
}

/** Finds a value for a part of the schema. */
type Pick = (schema: unknown, place: Place) => Picked;

const TEXT = 'synthetic';
/** Longer strings and lists are not made, even if the schema asks for them. */
const MAXIMUM_TEXT_LENGTH = 10_000;
const MAXIMUM_ITEMS = 1_000;
/** Below this depth optional properties and items are left out, so that an instance stays small. */
const GENEROUS_DEPTH = 6;

/** Returns values of one type that the keywords suggest, the plainest first. */
export function instancesOfType(type: string, facts: JsonObject, place: Place, pick: Pick): Iterable<unknown> {
  switch (type) {
    case 'null':
      return [null];
    case 'boolean':
      return place.variant % 2 === 0 ? [true, false] : [false, true];
    case 'integer':
      return integers(facts, place.variant);
    case 'number':
      return numbers(facts, place.variant);
    case 'string':
      return strings(facts, place.variant);
    case 'array':
      return arrays(facts, place, pick);
    case 'object':
      return objects(facts, place, pick);
    default:
      return [];
  }
}

const lowest = (value: unknown): number => numberOf(value) ?? Number.NEGATIVE_INFINITY;
const highest = (value: unknown): number => numberOf(value) ?? Number.POSITIVE_INFINITY;

function* integers(facts: JsonObject, variant: number): Generator<number> {
  const step = numberOf(facts.multipleOf) ?? 1;
  const low = Math.max(lowest(facts.minimum), Math.floor(lowest(facts.exclusiveMinimum)) + 1);
  const high = Math.min(highest(facts.maximum), Math.ceil(highest(facts.exclusiveMaximum)) - 1);
  yield* stepping(low, high, step, variant);
  // Some multiples of a step such as 0.5 are integers.
  if (!Number.isInteger(step)) yield* stepping(low, high, 1, variant);
}

function* numbers(facts: JsonObject, variant: number): Generator<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = facts;
  const low = Math.max(lowest(minimum), lowest(exclusiveMinimum));
  const high = Math.min(highest(maximum), highest(exclusiveMaximum));
  const step = numberOf(multipleOf) ?? 1;
  yield* stepping(low, high, step, variant);
  if (Number.isFinite(low)) yield low + step;
  if (Number.isFinite(high)) yield high - step;
  if (Number.isFinite(low) && Number.isFinite(high)) {
    // Between narrow bounds, uses sixteenths, so that the values are short in decimal.
    yield low + (high - low) * ((variant % 15) + 1) * 0.0625;
    yield low + (high - low) / 2;
  }
  // A non-integer, for a schema that does not accept integers.
  yield (Number.isFinite(low) ? low : Number.isFinite(high) ? high - 1 : 1) + 0.5;
}

/** Yields multiples of the step between the bounds, inclusive, near 1 or near a bound. */
function* stepping(low: number, high: number, step: number, variant: number): Generator<number> {
  const multiple = (count: number): number => Number((count * step).toPrecision(15));
  if (variant === 0 && multiple(1) >= low && multiple(1) <= high) yield multiple(1);
  if (Number.isFinite(low)) yield multiple(Math.ceil(low / step) + variant);
  else if (Number.isFinite(high)) yield multiple(Math.floor(high / step) - variant);
  else yield multiple(1 + variant);
  if (Number.isFinite(high)) yield multiple(Math.floor(high / step));
}

function* strings(facts: JsonObject, variant: number): Generator<string> {
  const least = Math.min(numberOf(facts.minLength) ?? 0, MAXIMUM_TEXT_LENGTH);
  const most = highest(facts.maxLength);
  if (typeof facts.pattern === 'string') {
    for (const extra of [0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128]) {
      const sample = samplePattern(facts.pattern, extra + variant);
      if (sample !== null && sample.length >= least && sample.length <= most) yield sample;
    }
  }
  if (typeof facts.format === 'string') {
    const sample = entryOf(FORMATS, facts.format)?.(variant);
    if (sample !== undefined) yield sample;
  }
  const text = variant === 0 ? TEXT : `${TEXT} ${variant + 1}`;
  // The number is at the end, so a shorter text keeps the end.
  yield (text.length > most ? text.slice(text.length - most) : text).padEnd(least, ` ${TEXT}`);
}

const digits = (variant: number, length: number): string => String(variant % 10 ** length).padStart(length, '0');
const address = (variant: number): string => `https://example.com/${variant === 0 ? '' : variant}`;

/** A value of each format that SDKs write into schemas; host names and addresses are those reserved for examples. */
const FORMATS: Readonly<Record<string, (variant: number) => string>> = {
  'date-time': (variant) => `2025-01-01T00:00:${digits(variant % 60, 2)}Z`,
  date: (variant) => `2025-01-${digits((variant % 28) + 1, 2)}`,
  time: (variant) => `00:00:${digits(variant % 60, 2)}Z`,
  duration: (variant) => `P${variant + 1}D`,
  email: (variant) => `sandbox${variant === 0 ? '' : variant}@example.com`,
  hostname: (variant) => (variant === 0 ? 'example.com' : `host${variant}.example.com`),
  ipv4: (variant) => `192.0.2.${(variant % 254) + 1}`,
  ipv6: (variant) => `2001:db8::${((variant % 0xffff) + 1).toString(16)}`,
  uuid: (variant) => `00000000-0000-4000-8000-${digits(variant, 12)}`,
  uri: address,
  url: address,
};

function* arrays(facts: JsonObject, place: Place, pick: Pick): Generator<unknown[]> {
  const prefix = Array.isArray(facts.items) ? facts.items : listOf(facts.prefixItems);
  const rest = Array.isArray(facts.items) ? facts.additionalItems : facts.items;
  const least = numberOf(facts.minItems) ?? 0;
  const most = Math.min(highest(facts.maxItems), MAXIMUM_ITEMS);
  const generous = !place.closing && place.depth < GENEROUS_DEPTH;
  const usual = prefix.length > 0 ? prefix.length : generous && rest !== false ? 1 : 0;

  for (const length of new Set([Math.max(least, usual), least])) {
    const items: unknown[] = [];
    const seen = new Set<string>();
    let variant = place.variant;
    while (items.length < Math.min(length, most) && place.work.steps > 0) {
      const index = items.length;
      const schema = (index < prefix.length ? prefix[index] : rest) ?? true;
      const { value, valid } = pick(schema, { ...place, variant });
      variant += facts.uniqueItems === true ? 1 : 0;
      const text = JSON.stringify(value);
      const isNew = facts.uniqueItems !== true || !seen.has(text);
      if (isNew && (valid || length === least)) items.push(value);
      else if (!isNew && variant - place.variant < 4 * length + 16) continue;
      else break;
      seen.add(text);
    }
    yield items;
  }
}

function* objects(facts: JsonObject, place: Place, pick: Pick): Generator<Record<string, unknown>> {
  const declared = isRecord(facts.properties) ? Object.keys(facts.properties) : [];
  if (!place.closing && place.depth < GENEROUS_DEPTH) yield objectWith(declared, facts, place, pick);
  yield objectWith([], facts, place, pick);
}

/** Returns an object with the required properties, the possible ones among the wanted, and fillers if there must be more. */
function objectWith(wanted: readonly string[], facts: JsonObject, place: Place, pick: Pick): Record<string, unknown> {
  const most = highest(facts.maxProperties);
  const least = Math.min(numberOf(facts.minProperties) ?? 0, MAXIMUM_ITEMS);
  const required = new Set(requiredBy(facts));
  const entries = new Map<string, unknown>();
  const add = (key: string, isRequired: boolean): void => {
    if (entries.has(key) || (!isRequired && entries.size >= most)) return;
    const { value, valid } = pick({ allOf: propertySchemas(facts, key, place.work) }, place);
    if (valid || isRequired) entries.set(key, value);
  };

  const declared = isRecord(facts.properties) ? Object.keys(facts.properties) : [];
  const optionalRoom = most - required.size;
  const optional = new Set(wanted.filter((key) => !required.has(key)).slice(0, Math.max(0, optionalRoom)));
  // In declaration order, as a model writes them.
  for (const key of declared) if (required.has(key) || optional.has(key)) add(key, required.has(key));
  for (const key of required) add(key, true);
  for (const key of declared) if (entries.size < least) add(key, false);
  for (let variant = 0; entries.size < least && variant < 2 * least + 8; variant += 1) {
    for (const key of fillerKeys(facts, { ...place, variant }, pick)) if (entries.size < least) add(key, false);
  }
  return Object.fromEntries(entries);
}

function fillerKeys(facts: JsonObject, place: Place, pick: Pick): string[] {
  const { propertyNames, patternProperties } = facts;
  const keys =
    propertyNames === undefined
      ? [`property${place.variant + 1}`]
      : [String(pick({ allOf: [{ type: 'string' }, propertyNames] }, place).value)];
  for (const pattern of Object.keys(isRecord(patternProperties) ? patternProperties : {})) {
    const key = samplePattern(pattern, place.variant);
    if (key !== null) keys.push(key);
  }
  return keys.filter((key) => !propertySchemas(facts, key, place.work).includes(false));
}
