import type { FunctionTool, Tool, ToolChoice, WebSearchTool } from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { adaptSchema } from '../shared/adapted-schema.ts';
import { withFlatTop } from '../shared/flat-schema.ts';
import { type Encoding, fieldOf } from './encoding.ts';
import { FORMAT } from './schema.ts';

type Body = Record<string, unknown>;

/** Writes `tools` and `tool_choice`. */
export function encodeTools(encoding: Encoding, body: Body): void {
  const { request, own } = encoding;
  const strictTools = own ? null : strictlyTaken(encoding);
  const declared = allowedTools(encoding).flatMap((tool) => encodeTool(tool, strictTools, encoding) ?? []);
  // The API requires declarations for the tools of earlier calls. Other formats do not, so the known facts are declared
  // here.
  const isUndeclared = !own && request.tools.length === 0;
  const tools = isUndeclared ? calledTools(encoding) : declared;
  if (tools.length === 0) return;
  body.tools = tools;
  const choice = isUndeclared ? { type: 'none' } : encodeChoice(encoding);
  if (choice !== null) body.tool_choice = choice;
}

function encodeTool(tool: Tool, strictTools: ReadonlySet<Tool> | null, encoding: Encoding): unknown {
  const { losses, kept } = encoding;
  const field = tool.path ?? fieldOf(encoding, 'function-tools');
  switch (tool.type) {
    case 'function':
      return losses.carry('function-tools', field)
        ? functionTool(tool, field, strictTools?.has(tool) !== false, encoding)
        : null;
    case 'custom':
      losses.carry('custom-tools', field);
      return null;
    case 'web-search':
      if (!losses.carry('web-search', field)) return null;
      return tool.raw.format === FORMAT
        ? kept.restore(copyOf(tool.raw.value), tool.path)
        : webSearch(tool, field, encoding);
    default:
      if (tool.raw.format === FORMAT) return tool.raw.value;
      losses.carry('hosted-tools', field);
      return null;
  }
}

function copyOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function functionTool(tool: FunctionTool, field: string, mayBeStrict: boolean, encoding: Encoding): unknown {
  const { losses, own, kept, marks, profile } = encoding;
  if (!own && !TOOL_NAME.test(tool.name)) {
    const why = 'Anthropic tool names have up to 128 letters, digits, _ and -';
    losses.note({ field: `${field}.name`, verdict: 'refused', why });
  }
  const isStrict = own ? tool.strict : mayBeStrict ? strictness(tool, field, encoding) : tooStrict(field, encoding);
  let schema: Record<string, unknown> = { ...tool.parameters };
  if (!own) {
    if (schema.type !== 'object') schema = objectSchema(schema, field, encoding);
    schema = flatSchema(schema, field, encoding);
    checkKeys(schema, field, encoding);
    if (schema.type === 'object' && schema.properties === undefined) schema.properties = {};
    if (isStrict && profile.structuredOutputs) schema = strictSchema(schema, field, encoding);
  }
  if (!own && tool.rest !== undefined) losses.noteRest(tool.rest);
  const wire: Record<string, unknown> = {
    name: tool.name,
    ...(tool.description === null ? {} : { description: tool.description }),
    input_schema: schema,
    ...(isStrict === null ? {} : { strict: isStrict }),
    ...marks.member(tool.cache, tool.path),
  };
  return kept.restore(wire, tool.path);
}

/** Returns an object's schema, because the API accepts no other. */
function objectSchema(schema: Record<string, unknown>, field: string, { losses }: Encoding): Record<string, unknown> {
  if (schema.type !== undefined) {
    const why = 'the input of Anthropic tools is an object, so the schema becomes one';
    losses.note({ field: `${field}.parameters`, verdict: 'approximated', why });
  }
  return { ...schema, type: 'object' };
}

/** Flattens the schema: "input_schema does not support oneOf, allOf, or anyOf at the top level". */
function flatSchema(schema: Record<string, unknown>, field: string, { losses }: Encoding): Record<string, unknown> {
  const flat = withFlatTop(schema);
  if (flat === schema) return schema;
  const why = 'Anthropic tools allow no choice of schemas at the top level, so it goes in the description';
  losses.note({ field: `${field}.parameters`, verdict: 'approximated', why });
  return { ...flat };
}

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Notes invalid names, for which the API refuses the whole request: "Property keys should match pattern …". */
function checkKeys({ properties }: Record<string, unknown>, field: string, { losses }: Encoding): void {
  const wrong = isRecord(properties) ? Object.keys(properties).find((key) => !PROPERTY_KEY.test(key)) : undefined;
  if (wrong === undefined) return;
  const why = 'Anthropic argument names have up to 64 letters, digits, _, . and -';
  losses.note({ field: `${field}.parameters.properties.${wrong}`, verdict: 'refused', why });
}

/** The API compiles a limited number of strict tools, and of unions in them (its error messages, "The maximum …"). */
const MOST_STRICT_TOOLS = 20;
const MOST_UNIONS = 16;

/** Returns the tools that may be strict if they want to: the first strict ones that the API accepts together. */
function strictlyTaken({ request }: Encoding): ReadonlySet<Tool> {
  const taken = new Set<Tool>();
  let unions = 0;
  let strict = 0;
  for (const tool of request.tools) {
    if (tool.type !== 'function') continue;
    if (tool.strict !== true) {
      taken.add(tool);
      continue;
    }
    unions += unionsIn(tool.parameters);
    if (++strict <= MOST_STRICT_TOOLS && unions <= MOST_UNIONS) taken.add(tool);
  }
  return taken;
}

function unionsIn(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, one) => sum + unionsIn(one), 0);
  if (!isRecord(schema)) return 0;
  const own = Array.isArray(schema.type) || Array.isArray(schema.anyOf) ? 1 : 0;
  return Object.values(schema).reduce<number>((sum, one) => sum + unionsIn(one), own);
}

function tooStrict(field: string, { losses }: Encoding): null {
  const why = `the Anthropic API compiles ${MOST_STRICT_TOOLS} strict tools and ${MOST_UNIONS} choices of types in them; this tool exceeds that`;
  losses.note({ field: `${field}.strict`, verdict: 'dropped', why });
  return null;
}

/** Returns `true` or `null`, because the API's default is not strict. */
function strictness(tool: FunctionTool, field: string, { losses, profile }: Encoding): true | null {
  if (!tool.strict) return null;
  if (!profile.structuredOutputs) {
    losses.note({ field: `${field}.strict`, verdict: 'dropped', why: 'this model does not support strict tools' });
    return null;
  }
  return losses.carry('strict-tools', `${field}.strict`) ? true : null;
}

function strictSchema(schema: Record<string, unknown>, field: string, { losses }: Encoding): Record<string, unknown> {
  const adapted = adaptSchema(schema);
  if (adapted.changed) {
    const why =
      'strict tools allow no extra properties and no limits on numbers or lengths, so limits go in the description';
    losses.note({ field: `${field}.parameters`, verdict: 'approximated', why });
  }
  return adapted.schema;
}

/** Returns the version of the web search tool that all models with web search support. */
function webSearch(tool: WebSearchTool, field: string, { losses }: Encoding): unknown {
  const { allowedDomains, blockedDomains, maxUses, userLocation, contextSize } = tool;
  if (contextSize !== null) {
    const why = "Anthropic's web search has no context size";
    losses.note({ field: `${field}.search_context_size`, verdict: 'dropped', why });
  }
  const hasBoth = allowedDomains !== null && blockedDomains !== null;
  if (hasBoth) {
    const why = "Anthropic's web search accepts allowed or blocked domains, not both; the allowed ones are kept";
    losses.note({ field: `${field}.blocked_domains`, verdict: 'approximated', why });
  }
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(allowedDomains === null ? {} : { allowed_domains: allowedDomains }),
    ...(blockedDomains === null || hasBoth ? {} : { blocked_domains: blockedDomains }),
    ...(maxUses === null ? {} : { max_uses: maxUses }),
    ...(userLocation === null ? {} : { user_location: { type: 'approximate', ...userLocation } }),
  };
}

/** Returns minimal declarations of the tools that were called in the conversation. */
function calledTools({ request }: Encoding): unknown[] {
  const names = new Set<string>();
  for (const { parts } of request.messages) {
    for (const part of parts) if (part.type === 'tool-call' && TOOL_NAME.test(part.name)) names.add(part.name);
  }
  return [...names].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
}

// ---- tool_choice

function allowedTools(encoding: Encoding): readonly Tool[] {
  const { toolChoice, tools } = encoding.request;
  if (toolChoice?.mode !== 'allowed') return tools;
  const allowed = new Set(toolChoice.names);
  return tools.filter((tool) => allowed.has(tool.type === 'web-search' ? 'web_search' : tool.name));
}

function encodeChoice(encoding: Encoding): Record<string, unknown> | null {
  const { request } = encoding;
  const { toolChoice, parallelToolCalls } = request;
  const choice = toolChoice === null ? null : choiceOf(toolChoice, encoding);
  // Parallel tool calls are the API's default. `none` has no such member.
  const says = request.format === FORMAT ? parallelToolCalls !== null : parallelToolCalls === false;
  if (!says || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: parallelToolCalls === false };
}

function choiceOf(choice: ToolChoice, encoding: Encoding): Record<string, unknown> | null {
  const { losses, own, profile } = encoding;
  const isForced =
    choice.mode === 'tool' || choice.mode === 'required' || (choice.mode === 'allowed' && choice.required);
  if (isForced && !own && !profile.forcedTools) {
    const field = fieldOf(encoding, 'tool-choice');
    losses.note({ field, verdict: 'refused', why: 'this model cannot be forced to call a tool' });
    return null;
  }
  switch (choice.mode) {
    case 'tool':
      return { type: 'tool', name: choice.name };
    case 'required':
      return { type: 'any' };
    case 'allowed':
      return choice.required ? { type: 'any' } : { type: 'auto' };
    default:
      return { type: choice.mode };
  }
}
