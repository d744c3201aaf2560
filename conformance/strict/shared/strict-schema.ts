import { asArray, asObject, isObject } from '../../shared/json.ts';

/** Composition keywords that OpenAI's strict schemas do not support (the guide "Structured outputs"). */
const UNSUPPORTED = ['allOf', 'not', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else'];

/** Returns why OpenAI refuses a schema in strict mode, or `null`. `place` names the object within the schema. */
export function strictSchemaProblem(schema: unknown, place: readonly string[] = []): string | null {
  if (!isObject(schema)) return null;
  const context = `In context=(${place.map((step) => `'${step}'`).join(', ')})`;
  const keyword = UNSUPPORTED.find((name) => Object.hasOwn(schema, name));
  if (keyword !== undefined) return `${context}, '${keyword}' is not permitted.`;
  if (schema.type === 'object' || isObject(schema.properties)) {
    if (schema.additionalProperties !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const required = new Set(asArray(schema.required));
    const missing = Object.keys(asObject(schema.properties)).find((name) => !required.has(name));
    if (missing !== undefined) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  for (const [step, inner] of innerSchemas(schema)) {
    const problem = strictSchemaProblem(inner, [...place, ...step]);
    if (problem !== null) return problem;
  }
  return null;
}

function innerSchemas(schema: Readonly<Record<string, unknown>>): (readonly [readonly string[], unknown])[] {
  const named = (member: string) =>
    Object.entries(asObject(schema[member])).map(([name, inner]) => [[member, name], inner] as const);
  return [
    ...named('properties'),
    ...named('$defs'),
    ...named('definitions'),
    ...asArray(schema.anyOf).map((inner, index) => [['anyOf', String(index)], inner] as const),
    [['items'], schema.items],
  ];
}
