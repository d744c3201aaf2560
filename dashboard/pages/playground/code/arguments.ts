import { isObject, type JsonObject, listOf, objectOf } from '../../shared/json.ts';
import type { Call } from '../wire/call.ts';
import { Raw, shortened } from './literal.ts';

/** The members of the body; a file of a form is read by the program. */
export function members({ body }: Call, file: (name: string) => string): Record<string, unknown> {
  if ('json' in body) return { ...objectOf(shortened(body.json)) };
  const all: Record<string, unknown> = {};
  for (const [name, part] of body.form) {
    const value = typeof part === 'string' ? part : new Raw(file(part.name));
    const base = name.replace(/\[\]$/, '');
    // Parts of one name are a list.
    if (name.endsWith('[]')) all[base] = [...listOf(all[base]), value];
    else all[base] = value;
  }
  return all;
}

/** Google's SDKs have one object for what the API has in several. */
export function geminiArguments(call: Call): JsonObject {
  const { contents, generationConfig, ...rest } = members(call, String);
  // The SDKs put it into the path as it is.
  const model = /\/models\/(.+):/.exec(call.path)?.[1] ?? '';
  const headers = call.headers === undefined ? {} : { httpOptions: { headers: call.headers } };
  const config = { ...objectOf(generationConfig), ...rest, ...headers };
  return { model, contents, ...(Object.keys(config).length > 0 && isObject(config) && { config }) };
}
