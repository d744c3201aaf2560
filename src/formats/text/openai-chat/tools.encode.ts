import type {
  FunctionTool,
  ResponseFormat,
  Tool,
  ToolChoice,
  WebSearchTool,
} from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { quirkOf } from '../quirk.ts';
import { addMark } from './content.encode.ts';
import type { Body, EncodeContext } from './encoding.ts';
import { FORMAT } from './schema.ts';

/** Writes `tools`, `web_search_options`, `tool_choice` and `parallel_tool_calls`. */
export function encodeTools(body: Body, context: EncodeContext): void {
  const { request, losses } = context;
  const tools: { readonly name: string; readonly encoded: Body }[] = [];
  for (const tool of request.tools) {
    const encoded = encodeTool(tool, body, context);
    if (encoded !== null) tools.push({ name: 'name' in tool ? tool.name : tool.type, encoded });
  }
  const choice = request.toolChoice;
  const chosen = choice === null ? null : encodeChoice(choice, context);
  const only = chosen?.only === undefined ? null : new Set(chosen.only);
  const offered = tools.filter(({ name }) => only === null || only.has(name)).map(({ encoded }) => encoded);
  if (offered.length > 0) body.tools = offered;
  if (offered.length === 0 && !context.own.isOwn) {
    const why = 'the request has no tools';
    if (choice !== null && choice.mode !== 'auto' && choice.mode !== 'none') {
      losses.note({ field: request.names['tool-choice'] ?? 'tool_choice', verdict: 'dropped', why });
    }
    return;
  }
  if (chosen !== null && chosen.value !== null) body.tool_choice = chosen.value;
  if (request.parallelToolCalls !== null) body.parallel_tool_calls = request.parallelToolCalls;
}

function encodeTool(tool: Tool, body: Body, context: EncodeContext): Body | null {
  const { losses, own } = context;
  switch (tool.type) {
    case 'function':
      return losses.carry('function-tools', tool.path) ? functionTool(tool, context) : null;
    case 'custom': {
      if (!losses.carry('custom-tools', tool.path)) return null;
      const { name, description, format } = tool;
      const custom: Body = { name, ...(description === null ? {} : { description }) };
      if (format !== null && format !== undefined) custom.format = format;
      own.into(`${tool.path}.custom`, custom);
      return { type: 'custom', custom };
    }
    case 'web-search':
      return webSearch(tool, body, context);
    case 'hosted':
      if (own.isOwn && tool.raw.format === FORMAT && isRecord(tool.raw.value)) return { ...tool.raw.value };
      losses.carry('hosted-tools', tool.path);
      return null;
  }
}

/** The schema of a strict function without parameters: in strict mode OpenAI accepts only closed objects. */
const CLOSED = { type: 'object', properties: {}, required: [], additionalProperties: false };

function functionTool(tool: FunctionTool, context: EncodeContext): Body {
  const { losses, own, target } = context;
  const { path } = tool;
  const declared: Body = { name: tool.name };
  if (tool.description !== null) declared.description = tool.description;
  if (tool.parameters !== null) declared.parameters = tool.parameters;
  // Some servers fail on a function without a schema, although OpenAI accepts it.
  else if (!own.isOwn || quirkOf(target.quirks, 'function-parameters') !== undefined)
    declared.parameters = tool.strict === true ? CLOSED : { type: 'object', properties: {} };
  const strict = tool.strict !== null && (tool.strict || target.carries['strict-tools'] === 'exact');
  if (strict && losses.carry('strict-tools', `${path}.strict`)) declared.strict = tool.strict;
  if (!own.isOwn && tool.rest) losses.noteRest(tool.rest);
  own.into(path?.startsWith('functions[') ? path : `${path}.function`, declared);
  const encoded: Body = { type: 'function', function: declared };
  own.into(path, encoded);
  addMark(encoded, tool, context);
  return encoded;
}

/**
 * Encodes a web search: OpenAI's search models and Perplexity take `web_search_options`. A search tool of a chat client goes back
 * unchanged.
 */
function webSearch(tool: WebSearchTool, body: Body, { losses, own }: EncodeContext): Body | null {
  const { raw, path, contextSize, userLocation } = tool;
  if (own.isOwn && raw.format === FORMAT && isRecord(raw.value)) {
    if (path !== 'web_search_options') return { ...raw.value };
    body.web_search_options = raw.value;
    return null;
  }
  if (!losses.carry('web-search', path)) return null;
  body.web_search_options = {
    ...(contextSize === null ? {} : { search_context_size: contextSize }),
    ...(userLocation === null ? {} : { user_location: { type: 'approximate', approximate: userLocation } }),
  };
  const filters = {
    allowed_domains: tool.allowedDomains,
    blocked_domains: tool.blockedDomains,
    max_uses: tool.maxUses,
  };
  for (const [name, value] of Object.entries(filters)) {
    if (value === null) continue;
    losses.note({
      field: `${path ?? 'tools'}.${name}`,
      verdict: 'dropped',
      why: 'web_search_options has no such filter',
    });
  }
  return null;
}

interface EncodedChoice {
  /** `null`: the offered tools alone express the choice, or nothing expresses it. */
  readonly value: unknown;
  /** The tools to offer, if the choice can only be expressed by leaving out all others. */
  readonly only?: readonly string[];
}

function encodeChoice(choice: ToolChoice, { target }: EncodeContext): EncodedChoice {
  const required = target.carries['tool-choice-required'] === 'exact' ? 'required' : 'auto';
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return { value: choice.mode };
    case 'required':
      return { value: required };
    case 'tool': {
      if (target.carries['tool-choice-named'] !== 'exact') return { value: required, only: [choice.name] };
      const named = { name: choice.name };
      return { value: choice.custom ? { type: 'custom', custom: named } : { type: 'function', function: named } };
    }
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto';
      if (target.carries['tool-choice-allowed'] !== 'exact') {
        return { value: choice.required ? required : 'auto', only: choice.names };
      }
      const tools = choice.names.map((name) => ({ type: 'function', function: { name } }));
      return { value: { type: 'allowed_tools', allowed_tools: { mode, tools } } };
    }
  }
}

/** The equivalent of JSON mode for a provider that has only schemas. */
const ANY_OBJECT = { name: 'response', schema: { type: 'object' } };

/** Writes `response_format`. Where the provider has only JSON mode, returns the schema as text for the system prompt. */
export function encodeResponseFormat(format: ResponseFormat, body: Body, context: EncodeContext): string | null {
  const { own, target } = context;
  if (format.type === 'text') {
    if (own.isOwn) body.response_format = { type: 'text' };
    return null;
  }
  if (format.type === 'json') {
    body.response_format =
      target.carries['json-mode'] === 'exact'
        ? { type: 'json_object' }
        : { type: 'json_schema', json_schema: ANY_OBJECT };
    return null;
  }
  const { schema } = format;
  if (target.carries['json-schema'] !== 'exact') {
    body.response_format = { type: 'json_object' };
    return `Answer with one JSON value that fits this JSON schema, and nothing else: ${JSON.stringify(schema)}`;
  }
  const said: Body = { name: format.name ?? 'response' };
  if (format.description !== null) said.description = format.description;
  said.schema = schema;
  if (format.strict !== null) said.strict = format.strict;
  own.into('response_format.json_schema', said);
  const encoded: Body = { type: 'json_schema', json_schema: said };
  own.into('response_format', encoded);
  body.response_format = encoded;
  return null;
}
