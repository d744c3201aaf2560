import { isDeeperThan } from '../../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../../formats/shared/json/record.ts';
import { charge, type JsonObject, listOf, matches, newWork, refersOn, resolve, type Work } from './match.ts';
import { mergeFacts } from './merge.ts';
import { instancesOfType, type Picked, type Place } from './values.ts';

/** Bounds the work for one schema; a large tool schema needs a few thousand steps. */
const MAXIMUM_STEPS = 20_000;
const MAXIMUM_DEPTH = 24;
const MAXIMUM_TRIES = 200;
/** More deeply nested schemas are not examined, because the walks below are recursive. */
const MAXIMUM_NESTING = 200;
const MAXIMUM_REFERENCES_IN_ONE = 100;

/**
 * Returns a value that satisfies the JSON schema, always the same for the same schema: candidates are built from the keywords,
 * and the first one that the whole schema accepts is used. If there is none (the schema contradicts itself), returns the first
 * candidate. Only keywords that zod, pydantic and agents write are supported: not `if`, `contains`, `dependentRequired` and rare
 * formats.
 */
export function instanceOf(schema: unknown): unknown {
  if (isDeeperThan(schema, MAXIMUM_NESTING)) return null;
  const work = newWork(schema, MAXIMUM_STEPS);
  return pick(schema, { work, depth: 0, references: new Set(), closing: false, variant: 0 }).value;
}

function pick(schema: unknown, place: Place): Picked {
  let first: Picked | undefined;
  let tries = 0;
  for (const value of candidates(schema, place)) {
    if (matches(schema, value, place.work)) return { value, valid: true };
    first ??= { value, valid: false };
    tries += 1;
    if (tries >= MAXIMUM_TRIES || place.work.steps <= 0) break;
  }
  return first ?? { value: null, valid: false };
}

function* candidates(schema: unknown, place: Place): Generator<unknown> {
  if (place.depth > MAXIMUM_DEPTH || place.work.steps <= 0) return;
  for (const { facts, references, closing } of resolved(flatten(schema, place), place)) {
    yield* values(facts, { ...place, references, closing, depth: place.depth + 1 });
  }
}

/** A schema without references and `allOf`; one member of each list in `alternatives` must hold as well. */
interface Flat {
  readonly facts: JsonObject;
  readonly alternatives: readonly (readonly unknown[])[];
  readonly references: ReadonlySet<string>;
  readonly closing: boolean;
}

function flatten(schema: unknown, place: Pick<Place, 'work' | 'references' | 'closing'>): Flat {
  let facts: JsonObject = {};
  const alternatives: (readonly unknown[])[] = [];
  const references = new Set(place.references);
  const metHere = new Set<string>();
  let closing = place.closing;
  const add = (part: unknown): void => {
    place.work.steps -= 1;
    if (part === false) facts = mergeFacts(facts, { enum: [] }, place.work);
    if (!isRecord(part) || place.work.steps <= 0) return;
    const { $ref, allOf, anyOf, oneOf, ...rest } = part;
    facts = mergeFacts(facts, rest, place.work);
    for (const list of [anyOf, oneOf]) if (Array.isArray(list)) alternatives.push(list);
    if (typeof $ref === 'string' && !metHere.has($ref) && metHere.size < MAXIMUM_REFERENCES_IN_ONE) {
      closing ||= references.has($ref);
      metHere.add($ref);
      references.add($ref);
      add(resolve($ref, place.work));
    }
    for (const member of listOf(allOf)) add(member);
  };
  if (schema === place.work.root) references.add('#');
  add(schema);
  return { facts, alternatives, references, closing };
}

/** Yields every choice of one member per alternative, as a schema without alternatives. */
function* resolved(flat: Flat, place: Place): Generator<Flat> {
  const [list, ...others] = flat.alternatives;
  if (list === undefined) return yield flat;
  for (const branch of inOrder(list, flat.closing, place.work)) {
    if (place.work.steps <= 0) return;
    const { references, closing, ...inner } = flatten(branch, { ...flat, work: place.work });
    const facts = mergeFacts(flat.facts, inner.facts, place.work);
    yield* resolved({ facts, alternatives: [...others, ...inner.alternatives], references, closing }, place);
  }
}

/**
 * Orders branches: `null` is the least informative and comes last; but to end a recursion it is the best, and a branch with a
 * further reference the worst.
 */
function inOrder(branches: readonly unknown[], closing: boolean, work: Work): unknown[] {
  charge(work, branches.length);
  const isNull = (branch: unknown): boolean => isRecord(branch) && branch.type === 'null';
  const rank = closing
    ? (branch: unknown) => (isNull(branch) ? 0 : refersOn(branch, work) ? 2 : 1)
    : (branch: unknown) => (isNull(branch) ? 1 : 0);
  return branches.toSorted((left, right) => rank(left) - rank(right));
}

function* values(facts: JsonObject, place: Place): Generator<unknown> {
  if ('const' in facts) return yield facts.const;
  if (Array.isArray(facts.enum)) {
    const start = facts.enum.length === 0 ? 0 : place.variant % facts.enum.length;
    yield* facts.enum.slice(start);
    yield* facts.enum.slice(0, start);
    return;
  }
  for (const type of typesOf(facts, place.closing)) yield* instancesOfType(type, facts, place, pick);
}

function typesOf(facts: JsonObject, closing: boolean): string[] {
  const named = listOf(typeof facts.type === 'string' ? [facts.type] : facts.type).filter(
    (type) => typeof type === 'string',
  );
  if (named.length > 0) return named.toSorted((left, right) => nullRank(left, closing) - nullRank(right, closing));
  const implied = Object.keys(IMPLYING).filter((type) => IMPLYING[type]?.some((keyword) => keyword in facts));
  return [...new Set([...implied, 'string', 'integer', 'boolean', 'object', 'array', 'null'])];
}

function nullRank(type: string, closing: boolean): number {
  return type === 'null' ? (closing ? -1 : 1) : 0;
}

/** The types that keywords imply in a schema without `type`. */
const IMPLYING: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'propertyNames'],
  array: ['items', 'prefixItems', 'minItems', 'uniqueItems'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
