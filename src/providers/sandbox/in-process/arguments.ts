import { parseObject } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { instanceOf } from './json-schema/instance.ts';
import { type JsonObject, listOf, matches, newWork } from './json-schema/match.ts';
import type { Tool } from './request.ts';

/** The most properties of a schema that are looked for, in at most this much of the prompt. */
const MOST_PROPERTIES = 30;
const PROMPT_CHARACTERS = 8_000;
const MAXIMUM_STEPS = 20_000;

/**
 * Returns a call's input: JSON that the function's schema accepts, or text for a custom tool. Values from the prompt are used: an object
 * after the tool's name as it is, otherwise the values that the prompt names; everything else is synthetic.
 */
export function inputFor(tool: Tool, given: string | null, prompt: string): string {
  if (tool.kind === 'custom') return given === null || given === '' ? 'synthetic input' : given;
  const object = given === null ? null : parseObject(given);
  if (object !== null) return JSON.stringify(object);
  const schema = tool.parameters ?? { type: 'object' };
  const said = valuesSaid(schema, (given ?? prompt).slice(0, PROMPT_CHARACTERS), given);
  return JSON.stringify(filledIn(schema, said));
}

/**
 * Returns an instance of the schema with these values, without those that it does not accept, and with no other optional
 * properties.
 */
function filledIn(schema: unknown, said: ReadonlyMap<string, readonly unknown[]>): unknown {
  const accepts = (value: unknown) => matches(schema, value, newWork(schema, MAXIMUM_STEPS));
  if (!isRecord(schema) || !isRecord(schema.properties)) return instanceOf(schema);
  const taken: Record<string, unknown> = {};
  let best = instanceOf(withValues(schema, taken));
  // The schema demands more than `required` says.
  if (!accepts(best)) return instanceOf(schema);
  for (const [name, values] of said) {
    for (const value of values) {
      const tried = instanceOf(withValues(schema, { ...taken, [name]: value }));
      if (!accepts(tried)) continue;
      taken[name] = value;
      best = tried;
      break;
    }
  }
  return best;
}

/** Returns the schema narrowed to the required properties and to these values. */
function withValues(schema: JsonObject, values: Readonly<Record<string, unknown>>): JsonObject {
  const required = new Set([...listOf(schema.required), ...Object.keys(values)]);
  const known = Object.entries(isRecord(schema.properties) ? schema.properties : {});
  const kept = known.filter(([name]) => required.has(name));
  const properties = kept.map(([name, property]) => [name, name in values ? { const: values[name] } : property]);
  return { ...schema, properties: Object.fromEntries(properties), required: [...required] };
}

/**
 * Returns the values that the text may give each property: `city: Paris`, `city="New York"`. In parentheses a single required
 * property needs no name. For a required property, a word of its `enum` is enough.
 */
function valuesSaid(schema: unknown, text: string, given: string | null): Map<string, readonly unknown[]> {
  const said = new Map<string, readonly unknown[]>();
  if (!isRecord(schema) || !isRecord(schema.properties)) return said;
  const required = listOf(schema.required);
  for (const [name, property] of Object.entries(schema.properties).slice(0, MOST_PROPERTIES)) {
    const named = namedValue(name, text);
    if (named !== null) said.set(name, readings(named));
    else if (required.includes(name)) {
      const words = wordsOf(property, text);
      if (words.length > 0) said.set(name, words);
    }
  }
  const [only] = required;
  if (said.size === 0 && given !== null && given !== '' && required.length === 1 && typeof only === 'string') {
    said.set(only, readings(given));
  }
  return said;
}

function namedValue(name: string, text: string): string | null {
  const spelled = name.replace(/[^a-z0-9_]/gi, '\\$&');
  const value = '("(?:[^"\\\\]|\\\\.){0,1000}"|\'[^\']{0,1000}\'|`[^`]{0,1000}`|[^\\s,;()"\'`]+)';
  const match = new RegExp(`(?<![\\w-])["'\`]?${spelled}["'\`]?\\s{0,9}[:=]\\s{0,9}${value}`, 'i').exec(text);
  return match?.[1] ?? null;
}

/** Returns the possible values of a written text: its JSON value, or the text itself. */
function readings(written: string): unknown[] {
  const values: unknown[] = [];
  try {
    values.push(JSON.parse(written));
  } catch {
    // Not valid JSON, so only the text remains.
  }
  const unquoted = /^(["'`])([\s\S]*)\1$/.exec(written)?.[2] ?? written.replace(/[.!?]+$/, '');
  return [...values, unquoted];
}

function wordsOf(property: unknown, text: string): unknown[] {
  if (!isRecord(property) || !Array.isArray(property.enum)) return [];
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u));
  return property.enum.filter((value) => typeof value === 'string' && words.has(value.toLowerCase()));
}
