import type {
  CustomTool,
  FunctionTool,
  ResponseFormat,
  RestField,
  Tool,
  ToolChoice,
  WebSearchTool,
} from '../../domain/exchange/request.ts';
import { listOf, textOrNull } from '../shared/json-values.ts';
import { isRecord } from '../shared/record.ts';
import { noteUnknown } from '../shared/rest.ts';
import { cacheMarkOf } from './blocks.ts';
import { FORMAT } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

const TOOL_MEMBERS = new Set(['type', 'function', 'custom', 'cache_control']);
const FUNCTION_MEMBERS = new Set(['name', 'description', 'parameters', 'strict']);
const CUSTOM_MEMBERS = new Set(['name', 'description', 'format']);
const SCHEMA_MEMBERS = new Set(['name', 'description', 'schema', 'strict']);
const FORMAT_MEMBERS = new Set(['type', 'json_schema']);

/** `tools`, the old `functions`, and the search that `web_search_options` switches on. */
export function decodeTools(body: Json, rest: RestField[]): Tool[] {
  const tools: Tool[] = [];
  for (const [index, tool] of listOf(body.tools).entries()) tools.push(decodeTool(tool, `tools[${index}]`, rest));
  for (const [index, declared] of listOf(body.functions).entries()) {
    if (isRecord(declared)) tools.push(functionTool(declared, `functions[${index}]`, `functions[${index}]`, rest));
  }
  if (isRecord(body.web_search_options)) tools.push(webSearch(body.web_search_options, 'web_search_options'));
  return tools;
}

function decodeTool(tool: unknown, path: string, rest: RestField[]): Tool {
  if (!isRecord(tool)) return hosted(tool, path);
  if (tool.type === 'function' && isRecord(tool.function)) {
    noteUnknown(tool, TOOL_MEMBERS, path, rest);
    const cache = cacheMarkOf(tool);
    const decoded = functionTool(tool.function, path, `${path}.function`, rest);
    return cache === null ? decoded : { ...decoded, cache };
  }
  if (tool.type === 'custom' && isRecord(tool.custom)) {
    noteUnknown(tool, TOOL_MEMBERS, path, rest);
    return customTool(tool.custom, path, rest);
  }
  return typeof tool.type === 'string' && tool.type.startsWith('web_search')
    ? webSearch(tool, path)
    : hosted(tool, path);
}

function functionTool(declared: Json, path: string, membersPath: string, rest: RestField[]): FunctionTool {
  noteUnknown(declared, FUNCTION_MEMBERS, membersPath, rest);
  return {
    type: 'function',
    name: String(declared.name ?? ''),
    description: textOrNull(declared.description),
    parameters: isRecord(declared.parameters) ? declared.parameters : null,
    strict: typeof declared.strict === 'boolean' ? declared.strict : null,
    path,
  };
}

function customTool(declared: Json, path: string, rest: RestField[]): CustomTool {
  noteUnknown(declared, CUSTOM_MEMBERS, `${path}.custom`, rest);
  return {
    type: 'custom',
    name: String(declared.name ?? ''),
    description: textOrNull(declared.description),
    format: declared.format ?? null,
    path,
  };
}

function hosted(tool: unknown, path: string): Tool {
  const name = isRecord(tool) && typeof tool.type === 'string' ? tool.type : 'unknown';
  return { type: 'hosted', name, raw: { format: FORMAT, value: tool }, path };
}

/** `{search_context_size, user_location: {type: "approximate", approximate: {city, region, country, timezone}}}`. */
function webSearch(options: Json, path: string): WebSearchTool {
  const filters = isRecord(options.filters) ? options.filters : {};
  return {
    type: 'web-search',
    allowedDomains: textsOrNull(filters.allowed_domains),
    blockedDomains: textsOrNull(filters.blocked_domains ?? filters.excluded_domains),
    maxUses: null,
    userLocation: locationOf(options.user_location),
    contextSize: textOrNull(options.search_context_size),
    raw: { format: FORMAT, value: options },
    path,
  };
}

function locationOf(value: unknown): WebSearchTool['userLocation'] {
  if (!isRecord(value)) return null;
  const place = isRecord(value.approximate) ? value.approximate : value;
  const location: Record<string, string> = {};
  for (const key of ['city', 'region', 'country', 'timezone']) {
    const said = place[key];
    if (typeof said === 'string') location[key] = said;
  }
  return Object.keys(location).length === 0 ? null : location;
}

/** `tool_choice` in all its forms, and the old `function_call`. What is none of them is left to the same format. */
export function decodeToolChoice(body: Json, rest: RestField[]): ToolChoice | null {
  const said = body.tool_choice ?? body.function_call;
  if (said === undefined || said === null) return null;
  const field = body.tool_choice === undefined || body.tool_choice === null ? 'function_call' : 'tool_choice';
  const choice = field === 'tool_choice' ? choiceOf(said) : (choiceOf(said) ?? namedChoice(said, false));
  if (choice === null) {
    const why = 'a choice of a kind that only some providers of this format know';
    rest.push({ path: field, value: said, verdict: 'refused', why });
  }
  return choice;
}

function choiceOf(said: unknown): ToolChoice | null {
  if (said === 'auto' || said === 'none' || said === 'required') return { mode: said };
  // Mistral's and Anthropic's word.
  if (said === 'any') return { mode: 'required' };
  if (!isRecord(said)) return null;
  if (said.type === 'function') return namedChoice(said.function ?? said, false);
  if (said.type === 'custom') return namedChoice(said.custom ?? said, true);
  if (said.type === 'allowed_tools') return allowedChoice(said.allowed_tools ?? said);
  if (said.type === 'auto' || said.type === 'none' || said.type === 'required') return { mode: said.type };
  return said.type === 'any' ? { mode: 'required' } : null;
}

function namedChoice(said: unknown, custom: boolean): ToolChoice | null {
  if (!isRecord(said) || typeof said.name !== 'string') return null;
  return { mode: 'tool', name: said.name, ...(custom ? { custom } : {}) };
}

function allowedChoice(said: unknown): ToolChoice | null {
  if (!isRecord(said) || !Array.isArray(said.tools)) return null;
  const names = said.tools.flatMap((tool: unknown) => {
    const named = isRecord(tool) ? (tool.function ?? tool.custom ?? tool) : null;
    return isRecord(named) && typeof named.name === 'string' ? [named.name] : [];
  });
  return { mode: 'allowed', names, required: said.mode === 'required' };
}

export function decodeResponseFormat(value: unknown, rest: RestField[]): ResponseFormat | null {
  if (!isRecord(value)) return null;
  noteUnknown(value, FORMAT_MEMBERS, 'response_format', rest);
  if (value.type === 'text') return { type: 'text' };
  if (value.type === 'json_object') return { type: 'json' };
  if (value.type !== 'json_schema' || !isRecord(value.json_schema)) return null;
  const { json_schema } = value;
  noteUnknown(json_schema, SCHEMA_MEMBERS, 'response_format.json_schema', rest);
  return {
    type: 'json-schema',
    schema: isRecord(json_schema.schema) ? json_schema.schema : {},
    name: textOrNull(json_schema.name),
    description: textOrNull(json_schema.description),
    strict: typeof json_schema.strict === 'boolean' ? json_schema.strict : null,
  };
}

function textsOrNull(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((item) => typeof item === 'string');
}
