import type {
  CustomTool,
  FunctionTool,
  ResponseFormat,
  RestField,
  Tool,
  ToolChoice,
  WebSearchTool,
} from '../../../domain/exchange/request.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { listOf, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { noteOdd, noteUnknown } from '../shared/rest.ts';
import { cacheMarkOf } from './content.decode.ts';
import { FORMAT } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

const TOOL_MEMBERS = new Set(['type', 'function', 'custom', 'cache_control']);
// `input_schema` is Anthropic's name for the parameters. Clients of several APIs use it.
const FUNCTION_MEMBERS = new Set(['name', 'description', 'parameters', 'input_schema', 'strict', 'cache_control']);
const CUSTOM_MEMBERS = new Set(['name', 'description', 'format']);
const SCHEMA_MEMBERS = new Set(['name', 'description', 'schema', 'strict']);
const FORMAT_MEMBERS = new Set(['type', 'json_schema', 'schema', 'response_schema', 'name', 'description', 'strict']);
const CHOICE_MEMBERS = new Set(['type', 'function', 'custom', 'allowed_tools', 'name', 'mode', 'tools']);

const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';

/** Reads `tools`, the old `functions`, and the web search that `web_search_options` switches on. */
export function decodeTools(body: Json, rest: RestField[]): Tool[] {
  const tools: Tool[] = [];
  for (const [index, tool] of listOf(body.tools).entries()) tools.push(decodeTool(tool, `tools[${index}]`, rest));
  for (const [index, declared] of listOf(body.functions).entries()) {
    if (isRecord(declared)) tools.push(functionTool(declared, `functions[${index}]`, `functions[${index}]`, rest));
  }
  if (isRecord(body.web_search_options)) tools.push(webSearch(body.web_search_options, 'web_search_options', rest));
  return tools;
}

function decodeTool(tool: unknown, path: string, rest: RestField[]): Tool {
  if (!isRecord(tool)) return hosted(tool, path);
  const isFunction = tool.type === 'function' || tool.type === undefined || tool.type === null;
  if (isFunction && isRecord(tool.function)) {
    noteUnknown(tool, TOOL_MEMBERS, path, rest);
    // LiteLLM's clients put the mark on the function inside the tool.
    const inside = cacheMarkOf(tool.function, `${path}.function`, rest);
    const placed = inside === null ? null : { ...inside, path: `${path}.function.cache_control` };
    const cache = cacheMarkOf(tool, path, rest) ?? placed;
    const decoded = functionTool(tool.function, path, `${path}.function`, rest);
    return cache === null ? decoded : { ...decoded, cache };
  }
  if (isFunction && typeof tool.name === 'string') {
    const { type: _, ...declared } = tool;
    const cache = cacheMarkOf(tool, path, rest);
    const decoded = functionTool(declared, path, path, rest);
    return cache === null ? decoded : { ...decoded, cache };
  }
  if (tool.type === 'custom' && isRecord(tool.custom)) {
    noteUnknown(tool, TOOL_MEMBERS, path, rest);
    if (tool.cache_control !== undefined) noteMark(tool.cache_control, path, rest);
    return customTool(tool.custom, path, rest);
  }
  return typeof tool.type === 'string' && tool.type.startsWith('web_search')
    ? webSearch(tool, path, rest)
    : hosted(tool, path);
}

function noteMark(value: unknown, path: string, rest: RestField[]): void {
  const why = 'tools of this kind cannot be marked in other formats';
  rest.push({ path: `${path}.cache_control`, value, verdict: 'dropped', why });
}

function functionTool(declared: Json, path: string, membersPath: string, rest: RestField[]): FunctionTool {
  noteUnknown(declared, FUNCTION_MEMBERS, membersPath, rest);
  noteOdd(declared, 'description', isText, membersPath, rest);
  noteOdd(declared, 'parameters', isRecord, membersPath, rest);
  noteOdd(declared, 'strict', isFlag, membersPath, rest);
  const parameters = declared.parameters ?? declared.input_schema;
  return {
    type: 'function',
    name: String(declared.name ?? ''),
    description: textOrNull(declared.description),
    parameters: isRecord(parameters) ? exactOf(parameters) : null,
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
    format: exactOf(declared.format ?? null),
    path,
  };
}

function hosted(tool: unknown, path: string): Tool {
  const name = isRecord(tool) && typeof tool.type === 'string' ? tool.type : 'unknown';
  return { type: 'hosted', name, raw: { format: FORMAT, value: exactOf(tool) }, path };
}

const SEARCH_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'filters', 'user_location', 'search_context_size', 'allowed_domains', 'excluded_domains'],
]);

/** Decodes `{search_context_size, user_location: {type: "approximate", approximate: {city, region, country, timezone}}}`. */
function webSearch(options: Json, path: string, rest: RestField[]): WebSearchTool {
  noteUnknown(options, SEARCH_MEMBERS, path, rest);
  const filters = isRecord(options.filters) ? options.filters : {};
  return {
    type: 'web-search',
    allowedDomains: textsOrNull(options.allowed_domains ?? filters.allowed_domains),
    blockedDomains: textsOrNull(options.excluded_domains ?? filters.blocked_domains ?? filters.excluded_domains),
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

const NAME_ALONE: ReadonlySet<string> = new Set(['name']);

/**
 * Reads `tool_choice` in all its forms, and the old `function_call`. An unknown form is kept only for upstreams of this
 * format.
 */
export function decodeToolChoice(body: Json, rest: RestField[]): ToolChoice | null {
  const said = body.tool_choice ?? body.function_call;
  if (said === undefined || said === null) return null;
  const field = body.tool_choice === undefined || body.tool_choice === null ? 'function_call' : 'tool_choice';
  const choice = field === 'tool_choice' ? choiceOf(said) : (choiceOf(said) ?? namedChoice(said, false));
  if (choice === null) {
    const why = 'a kind of choice that only some providers of this format support';
    rest.push({ path: field, value: said, verdict: 'refused', why });
  } else if (isRecord(said)) {
    noteUnknown(said, CHOICE_MEMBERS, field, rest);
    if (isRecord(said.function)) noteUnknown(said.function, NAME_ALONE, `${field}.function`, rest);
  }
  return choice;
}

function choiceOf(said: unknown): ToolChoice | null {
  if (said === 'auto' || said === 'none' || said === 'required') return { mode: said };
  // The name that Mistral and Anthropic use.
  if (said === 'any') return { mode: 'required' };
  if (!isRecord(said)) return null;
  const isTool = said.type === 'function' || said.type === 'tool';
  if (isTool || said.type === undefined || said.type === null) return namedChoice(said.function ?? said, false);
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
  // No tool is allowed. This is written as `none`, because other formats read an empty list as no restriction.
  if (said.tools.length === 0) return said.mode === 'required' ? null : { mode: 'none' };
  const names = said.tools.flatMap((tool: unknown) => {
    const named = isRecord(tool) ? (tool.function ?? tool.custom ?? tool) : null;
    return isRecord(named) && typeof named.name === 'string' ? [named.name] : [];
  });
  if (names.length < said.tools.length) return null;
  return { mode: 'allowed', names, required: said.mode === 'required' };
}

const TYPE_ALONE: ReadonlySet<string> = new Set(['type']);

export function decodeResponseFormat(value: unknown, rest: RestField[]): ResponseFormat | null {
  if (!isRecord(value)) return null;
  noteUnknown(value, value.type === 'json_schema' ? FORMAT_MEMBERS : TYPE_ALONE, 'response_format', rest);
  if (value.type === 'text') return { type: 'text' };
  if (value.type === 'json_schema' && isRecord(value.json_schema)) {
    noteUnknown(value.json_schema, SCHEMA_MEMBERS, 'response_format.json_schema', rest);
    return schemaFormat(value.json_schema, 'response_format.json_schema', rest);
  }
  // The schema is next to the type: Together, Fireworks, llama.cpp and the Responses API. Vertex, through LiteLLM, calls
  // it `response_schema`.
  const schema = value.schema ?? value.response_schema;
  if (isRecord(schema)) return schemaFormat({ ...value, schema }, 'response_format', rest);
  if (value.type === 'json_object') return { type: 'json' };
  const why = 'an output constraint that only some providers of this format support';
  rest.push({ path: 'response_format', value, verdict: 'refused', why });
  return null;
}

function schemaFormat(said: Json, path: string, rest: RestField[]): ResponseFormat {
  noteOdd(said, 'schema', isRecord, path, rest);
  noteOdd(said, 'strict', isFlag, path, rest);
  return {
    type: 'json-schema',
    schema: isRecord(said.schema) ? exactOf(said.schema) : {},
    name: textOrNull(said.name),
    description: textOrNull(said.description),
    strict: typeof said.strict === 'boolean' ? said.strict : null,
  };
}

function textsOrNull(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((item) => typeof item === 'string');
}
