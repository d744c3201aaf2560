import { asArray, asObject, isObject, type JsonObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest } from '../rule.ts';

/* Helpers with which the rules of Gemini read a request. */

export const CHECKED = '2026-11-28';

export const FAMILY_2 = { label: 'Gemini 2.5 and earlier', models: /gemini-(?:1|2)(?:\.|-)/ };
export const FAMILY_3 = { label: 'Gemini 3 and later', models: /gemini-(?:[3-9]|\d\d)/ };

/** Returns the first problem of the items, such as parts or schemas; `null` if there is none. */
export function firstProblem<Item>(items: readonly Item[], problem: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = problem(item);
    if (found !== null) return found;
  }
  return null;
}

/** Google's message for a member that is not in the document. */
export const unknownName = (name: string, path: string) =>
  `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`;

export interface PlacedPart {
  readonly part: JsonObject;
  readonly path: string;
  readonly role: string;
}

/** Protocol buffers allow two spellings of a member in JSON. */
function inCamelCase(object: JsonObject): JsonObject {
  const camel = (name: string) => name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));
}

export const bodyOf = ({ body }: ReceivedRequest): JsonObject => inCamelCase(asObject(body) as JsonObject);

export function contentsOf(request: ReceivedRequest): readonly JsonObject[] {
  return asArray(bodyOf(request).contents).map(asObject) as JsonObject[];
}

export function partsIn(content: JsonObject): readonly JsonObject[] {
  return asArray(content.parts).map(asObject) as JsonObject[];
}

/** Returns every part of the conversation and of the system instruction. */
export function allParts(request: ReceivedRequest): readonly PlacedPart[] {
  const system = asObject(bodyOf(request).systemInstruction) as JsonObject;
  const placed = [
    ...contentsOf(request).map((content, index) => ({ content, path: `contents[${index}]` })),
    { content: system, path: 'system_instruction' },
  ];
  return placed.flatMap(({ content, path }) =>
    partsIn(content).map((part, index) => ({ part, path: `${path}.parts[${index}]`, role: String(content.role) })),
  );
}

export function toolsOf(request: ReceivedRequest): readonly JsonObject[] {
  return asArray(bodyOf(request).tools).map(asObject) as JsonObject[];
}

export interface Declaration {
  readonly declaration: JsonObject;
  readonly path: string;
}

export function declarationsOf(request: ReceivedRequest): readonly Declaration[] {
  return toolsOf(request).flatMap((tool, at) =>
    asArray(tool.functionDeclarations).map((declaration, index) => ({
      declaration: asObject(declaration) as JsonObject,
      path: `tools[${at}].function_declarations[${index}]`,
    })),
  );
}

const BUILT_IN = ['googleSearch', 'googleSearchRetrieval', 'codeExecution', 'urlContext', 'fileSearch', 'googleMaps'];

/** Returns whether the tools include one that Google itself runs. */
export function hasBuiltIn(request: ReceivedRequest): boolean {
  return toolsOf(request).some((tool) => BUILT_IN.some((name) => tool[name] !== undefined));
}

export function configOf(request: ReceivedRequest): JsonObject {
  return inCamelCase(asObject(bodyOf(request).generationConfig) as JsonObject);
}

export function thinkingOf(request: ReceivedRequest): JsonObject {
  return asObject(configOf(request).thinkingConfig) as JsonObject;
}

/** Returns every schema in a schema, with its path in Google's own spelling. */
export function* schemasIn(schema: unknown, path: string): Generator<{ schema: JsonObject; path: string }> {
  if (!isObject(schema)) return;
  yield { schema: schema as JsonObject, path };
  for (const name of ['properties', '$defs', 'definitions']) {
    for (const [key, inner] of Object.entries(asObject(schema[name])))
      yield* schemasIn(inner, `${path}.${name}.${key}`);
  }
  for (const name of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    for (const [index, inner] of asArray(schema[name]).entries()) yield* schemasIn(inner, `${path}.${name}.${index}`);
  }
  for (const name of ['items', 'additionalProperties', 'not']) yield* schemasIn(schema[name], `${path}.${name}`);
}

// ---- examples

export const user = (...parts: readonly object[]) => ({ role: 'user', parts });
export const model = (...parts: readonly object[]) => ({ role: 'model', parts });
export const text = (words = 'Hello') => ({ text: words });
export const call = (name = 'f', more: object = { thoughtSignature: 'c2ln' }) => ({
  functionCall: { name, args: {} },
  ...more,
});
export const answer = (name = 'f', response: object = { output: 'x' }) => ({ functionResponse: { name, response } });

export function saying(...contents: readonly object[]): Example {
  return { body: { contents } };
}

export function declaring(declaration: object, more: object = {}): Example {
  return { body: { tools: [{ functionDeclarations: [{ name: 'f', description: 'd', ...declaration }] }], ...more } };
}

export function configured(generationConfig: object, model?: string): Example {
  return { ...(model === undefined ? {} : { model }), body: { generationConfig } };
}
