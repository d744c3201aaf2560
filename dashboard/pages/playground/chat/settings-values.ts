import { isObject, type JsonObject, listOf, parseJson, textOf } from '../../shared/json.ts';
import type { Asked, Effort, Tool } from './conversation.ts';

/** The fields' values, as typed. */
export interface SettingsValues {
  readonly system: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly effort: Effort | '';
  readonly tools: string;
  readonly schema: string;
  readonly cache: string;
}

export const NO_SETTINGS: SettingsValues = {
  ...{ system: '', temperature: '', maxTokens: '', effort: '', tools: '', schema: '', cache: '' },
};

export type SettingsErrors = Partial<Record<keyof SettingsValues, 'number' | 'json' | 'tools'>>;

export interface ReadSettings {
  readonly asked: Omit<Asked, 'turns' | 'model'>;
  readonly errors: SettingsErrors;
}

export function readSettings(values: SettingsValues): ReadSettings {
  const errors: SettingsErrors = {};
  const number = (name: 'temperature' | 'maxTokens') => {
    const text = values[name].trim();
    if (text === '') return null;
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0 && (name === 'temperature' || Number.isInteger(value))) return value;
    errors[name] = 'number';
    return null;
  };
  const tools = toolsIn(values.tools);
  if (tools === null) errors.tools = 'tools';
  const schema = values.schema.trim() === '' ? null : parseJson(values.schema);
  if (schema !== null && !isObject(schema)) errors.schema = 'json';
  return {
    errors,
    asked: {
      system: values.system,
      temperature: number('temperature'),
      maxTokens: number('maxTokens'),
      effort: values.effort === '' ? null : values.effort,
      tools: tools ?? [],
      schema: isObject(schema) ? schema : null,
      cache: values.cache === '' ? null : values.cache,
    },
  };
}

/** Parses a list of functions, bare or in any of the formats; returns `null` if it is invalid. */
function toolsIn(text: string): readonly Tool[] | null {
  if (text.trim() === '') return [];
  const value = parseJson(text);
  const list = Array.isArray(value) ? value : isObject(value) ? [value] : null;
  if (list === null) return null;
  const tools = list.map(toolOf);
  return tools.every((tool) => tool !== null) ? tools : null;
}

function toolOf(value: unknown): Tool | null {
  if (!isObject(value)) return null;
  const tool: JsonObject = isObject(value.function) ? value.function : value;
  const parameters = tool.parameters ?? tool.input_schema ?? { type: 'object', properties: {} };
  const name = textOf(tool.name);
  if (name === '' || !isObject(parameters)) return null;
  return { name, ...(textOf(tool.description) !== '' && { description: textOf(tool.description) }), parameters };
}

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      name: 'get_weather',
      description: 'The weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  null,
  2,
);

export const EXAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { name: { type: 'string' }, year: { type: 'integer' } },
    required: ['name', 'year'],
    additionalProperties: false,
  },
  null,
  2,
);

export function hasErrors(errors: SettingsErrors): boolean {
  return listOf(Object.keys(errors)).length > 0;
}
