import { isRecord } from '../../../../formats/shared/json/record.ts';
import { charge, isEqual, type JsonObject, listOf, propertySchemas, type Work } from './match.ts';

/** Merges the keywords of two schemas that must both hold; if they cannot be merged, the second one's are used. */
export function mergeFacts(left: JsonObject, right: JsonObject, work: Work): JsonObject {
  const merged: Record<string, unknown> = { ...left, ...right };
  for (const keyword of Object.keys(right)) {
    if (Object.hasOwn(left, keyword)) merged[keyword] = mergeKeyword(keyword, left[keyword], right[keyword], work);
  }
  if (isRecord(merged.properties)) {
    const names = Object.keys(merged.properties);
    const entries = names.map(
      (name) => [name, both(schemaOf(left, name, work), schemaOf(right, name, work), work)] as const,
    );
    charge(work, 10 * names.length);
    merged.properties = Object.fromEntries(entries.filter(([, schema]) => schema !== false));
  }
  return merged;
}

function mergeKeyword(keyword: string, left: unknown, right: unknown, work: Work): unknown {
  switch (keyword) {
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(Number(left), Number(right));
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Math.min(Number(left), Number(right));
    case 'multipleOf':
      return mergeMultiples(Number(left), Number(right));
    case 'required':
      return [...new Set([...listOf(left), ...listOf(right)])];
    case 'enum':
      return intersection(listOf(left), listOf(right), work);
    case 'type':
      return mergeTypes(left, right);
    case 'uniqueItems':
      return left === true || right === true;
    case 'items':
    case 'propertyNames':
    case 'additionalProperties':
      return both(left, right, work);
    case 'properties':
    case 'patternProperties':
      return { ...(isRecord(left) ? left : {}), ...(isRecord(right) ? right : {}) };
    default:
      return right;
  }
}

/**
 * Returns the values in both lists: plain values are looked up in a set, all others compared one by one while there are steps
 * left.
 */
function intersection(left: readonly unknown[], right: readonly unknown[], work: Work): unknown[] {
  charge(work, left.length + right.length);
  const plain = new Set(right.filter((option) => typeof option !== 'object' || option === null));
  const others = right.filter((option) => !plain.has(option));
  return left.filter((option) => {
    if (typeof option !== 'object' || option === null) return plain.has(option);
    return work.steps > 0 && others.some((other) => isEqual(option, other, work));
  });
}

function mergeMultiples(left: number, right: number): number {
  if (left % right === 0) return left;
  return right % left === 0 ? right : left * right;
}

function mergeTypes(left: unknown, right: unknown): unknown {
  const allowed = listOf(Array.isArray(right) ? right : [right]);
  const types = listOf(Array.isArray(left) ? left : [left]);
  const exact = types.filter((type) => allowed.includes(type));
  // An integer is a number too.
  if (types.includes('number') && allowed.includes('integer')) exact.push('integer');
  if (types.includes('integer') && allowed.includes('number')) exact.push('integer');
  return exact;
}

/** Returns one side's schema for the property, else its `additionalProperties` (`true` by default). */
function schemaOf(schema: JsonObject, name: string, work: Work): unknown {
  const parts = propertySchemas(schema, name, work);
  return parts.length === 1 ? parts[0] : { allOf: parts };
}

function both(left: unknown, right: unknown, work: Work): unknown {
  if (left === false || right === false) return false;
  if (left === true || left === undefined) return right;
  if (right === true || right === undefined || isEqual(left, right, work)) return left;
  return { allOf: [left, right] };
}
