import { isObject } from '../shared/json.ts';

/**
 * Returns the value with the members' names in camelCase: Gemini accepts `generation_config` for `generationConfig`, by the JSON mapping of
 * protocol buffers. Names inside free-form objects (arguments, JSON Schemas) change too, but no rule checks them.
 */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [camelCase(key), inCamelCase(member)]));
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
