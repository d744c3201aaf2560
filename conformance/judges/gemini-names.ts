import { isObject } from '../shared/json.ts';

/**
 * The value with the members' names in camelCase: Gemini takes `generation_config` for `generationConfig`, as the JSON mapping of
 * protocol buffers says. Names inside free-form objects (arguments, JSON Schemas) change too, which no rule looks at.
 */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [camelCase(key), inCamelCase(member)]));
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
