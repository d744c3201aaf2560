import { isObject, type JsonObject, listOf, objectOf } from '../../shared/json.ts';
import type { Call } from '../wire/call.ts';
import { Raw, shortened } from './literal.ts';

/** Returns the members of the body; `file` returns the code that reads a form's file. */
export function members({ body }: Call, file: (name: string) => string): Record<string, unknown> {
  if ('json' in body) return { ...objectOf(shortened(body.json)) };
  const all: Record<string, unknown> = {};
  for (const [name, part] of body.form) {
    const value = typeof part === 'string' ? part : new Raw(file(part.name));
    const base = name.replace(/\[\]$/, '');
    // Parts with the same name form a list.
    if (name.endsWith('[]')) all[base] = [...listOf(all[base]), value];
    else all[base] = value;
  }
  return all;
}

/** Returns arguments for Google's SDKs, which use one object for several of the API. */
export function geminiArguments(call: Call): JsonObject {
  const { contents, generationConfig, ...rest } = members(call, String);
  // The SDKs insert it into the path unchanged.
  const model = /\/models\/(.+):/.exec(call.path)?.[1] ?? '';
  const headers = call.headers === undefined ? {} : { httpOptions: { headers: call.headers } };
  const config = { ...objectOf(generationConfig), ...rest, ...headers };
  return { model, contents, ...(Object.keys(config).length > 0 && isObject(config) && { config }) };
}
