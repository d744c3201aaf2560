import { isEqual, isObject, type JsonObject, listOf, propertySchemas } from './match.ts';

/** The keywords of two schemas that must both hold, as one; where that cannot be said, the second's. */
export function mergeFacts(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...left, ...right };
  for (const keyword of Object.keys(right)) {
    if (Object.hasOwn(left, keyword)) merged[keyword] = mergeKeyword(keyword, left[keyword], right[keyword]);
  }
  if (isObject(merged.properties)) {
    const names = Object.keys(merged.properties);
    const entries = names.map((name) => [name, both(schemaOf(left, name), schemaOf(right, name))] as const);
    merged.properties = Object.fromEntries(entries.filter(([, schema]) => schema !== false));
  }
  return merged;
}

function mergeKeyword(keyword: string, left: unknown, right: unknown): unknown {
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
      return listOf(left).filter((option) => listOf(right).some((other) => isEqual(option, other)));
    case 'type':
      return mergeTypes(left, right);
    case 'uniqueItems':
      return left === true || right === true;
    case 'items':
    case 'contains':
    case 'propertyNames':
    case 'additionalProperties':
      return both(left, right);
    case 'properties':
    case 'patternProperties':
      return { ...(isObject(left) ? left : {}), ...(isObject(right) ? right : {}) };
    default:
      return right;
  }
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

/** What one side says of the property: nothing, when it does not speak of properties at all. */
function schemaOf(schema: JsonObject, name: string): unknown {
  const parts = propertySchemas(schema, name);
  return parts.length === 1 ? parts[0] : { allOf: parts };
}

function both(left: unknown, right: unknown): unknown {
  if (left === false || right === false) return false;
  if (left === true || left === undefined) return right;
  if (right === true || right === undefined || isEqual(left, right)) return left;
  return { allOf: [left, right] };
}
