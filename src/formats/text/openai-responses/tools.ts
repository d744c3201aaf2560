import { markPath } from '../../../domain/exchange/part.ts';
import type { FunctionTool, RestField, Tool, ToolChoice, WebSearchTool } from '../../../domain/exchange/request.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { textOrNull } from '../../shared/json/json-values.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';
import { addRest, noteUnknown } from '../shared/rest.ts';
import { lastName, type Wire, type Writing } from './encoding.ts';
import { REASONS } from './fields.ts';
import { refusesInputFidelity } from './media.ts';
import { FORMAT } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

// ---- from a client

const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const CUSTOM_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format']);
const NAMESPACE_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'tools']);
const SEARCH_MEMBERS: ReadonlySet<string> = new Set(['type', 'filters', 'user_location', 'search_context_size']);
const OWN_TOOL_MEMBERS = ['defer_loading', 'allowed_callers', 'output_schema'] as const;
const SEARCH_TYPE = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

export function decodeTools(value: unknown, path: string, rest: RestField[]): Tool[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((tool, index) => {
    const at = `${path}[${index}]`;
    return decodeNamespace(tool, at, rest) ?? decodeTool(tool, at, rest);
  });
}

/**
 * Tools that are added during the conversation. Their item goes back as a whole, so no member of it has to be noted in
 * `rest`.
 */
export function decodeAdditionalTools(input: unknown): Tool[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  return items.flatMap((item, index) =>
    isRecord(item) && item.type === 'additional_tools' ? decodeTools(item.tools, `input[${index}].tools`, []) : [],
  );
}

/** Returns a group of the client's own tools (Codex has one group for each of its MCP servers); `null` for any other tool. */
function decodeNamespace(tool: Json, path: string, rest: RestField[]): Tool[] | null {
  if (tool.type !== 'namespace' || typeof tool.name !== 'string' || !Array.isArray(tool.tools)) return null;
  const { name } = tool;
  noteUnknown(tool, NAMESPACE_MEMBERS, path, rest);
  const description = textOrNull(tool.description);
  return decodeTools(tool.tools, `${path}.tools`, rest).map((member): Tool => {
    if (member.type !== 'function' && member.type !== 'custom') return member;
    const namespace = { name, member: member.name, description, path };
    return { ...member, name: nameInNamespace(name, member.name), namespace };
  });
}

function decodeTool(tool: Json, path: string, rest: RestField[]): Tool {
  const description = textOrNull(tool.description);
  if (tool.type === 'function') {
    const own: RestField[] = [];
    noteMembers(tool, FUNCTION_MEMBERS, path, own);
    const parameters = isRecord(tool.parameters) ? exactOf(tool.parameters) : null;
    const strict = typeof tool.strict === 'boolean' ? tool.strict : null;
    const name = String(tool.name);
    return { type: 'function', name, description, parameters, strict, path, ...(own.length > 0 ? { rest: own } : {}) };
  }
  if (tool.type === 'custom') {
    noteMembers(tool, CUSTOM_MEMBERS, path, rest);
    return { type: 'custom', name: String(tool.name), description, format: nestedGrammar(tool.format), path };
  }
  const type = String(tool.type);
  const raw = { format: FORMAT, value: exactOf(tool) };
  if (!SEARCH_TYPE.test(type)) return { type: 'hosted', name: type, raw, path };
  noteMembers(tool, SEARCH_MEMBERS, path, rest);
  return decodeSearch(tool, path, raw);
}

/** Moves a grammar's members one level deeper, as in chat completions and in the canonical tool. */
function nestedGrammar(format: unknown): unknown {
  if (!isRecord(format) || format.type !== 'grammar') return format ?? null;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function noteMembers(tool: Json, known: ReadonlySet<string>, path: string, rest: RestField[]): void {
  for (const key of OWN_TOOL_MEMBERS) addRest(rest, `${path}.${key}`, tool[key], REASONS.ownTool);
  noteUnknown(tool, new Set([...known, ...OWN_TOOL_MEMBERS]), path, rest);
}

function decodeSearch(tool: Json, path: string, raw: WebSearchTool['raw']): WebSearchTool {
  const domains = isRecord(tool.filters) ? tool.filters.allowed_domains : null;
  const location = isRecord(tool.user_location) ? tool.user_location : null;
  const place = ['city', 'region', 'country', 'timezone'].flatMap((key) => {
    const value = location?.[key];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  return {
    type: 'web-search',
    allowedDomains: Array.isArray(domains) ? domains.filter((domain) => typeof domain === 'string') : null,
    blockedDomains: null,
    maxUses: null,
    userLocation: location === null ? null : Object.fromEntries(place),
    contextSize: textOrNull(tool.search_context_size),
    raw,
    path,
  };
}

const CHOICE_MEMBERS: ReadonlySet<string> = new Set(['type', 'name']);

export function decodeToolChoice(value: unknown, rest: RestField[]): ToolChoice | null {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value };
  if (!isRecord(value)) return null;
  if (value.type === 'function' || value.type === 'custom') {
    if (typeof value.name === 'string') {
      noteUnknown(value, CHOICE_MEMBERS, 'tool_choice', rest);
      return { mode: 'tool', name: value.name, ...(value.type === 'custom' ? { custom: true } : {}) };
    }
  }
  if (value.type === 'allowed_tools' && Array.isArray(value.tools)) {
    // `none` comes from Open Responses. OpenAI itself has `auto` and `required`.
    if (value.mode === 'none') return { mode: 'none' };
    // No tool is allowed. This is written as `none`, because other formats read an empty list as no restriction.
    if (value.tools.length === 0 && value.mode !== 'required') return { mode: 'none' };
    if (value.tools.length === 0) {
      const why = 'a tool call is required, but no tool is allowed';
      rest.push({ path: 'tool_choice', value, verdict: 'refused', why });
      return null;
    }
    const names = value.tools.flatMap((tool) => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []));
    // Only functions are identified by name alone. A list with other tools goes back to its own format unchanged.
    const isOfFunctions = value.tools.every((tool) => isRecord(tool) && tool.type === 'function');
    if (isOfFunctions && names.length === value.tools.length) {
      return { mode: 'allowed', names, required: value.mode === 'required' };
    }
  }
  addRest(rest, 'tool_choice', value, REASONS.toolChoice);
  return null;
}

// ---- to an upstream

export function encodeTools(body: Wire, writing: Writing): void {
  const { request } = writing;
  const tools: Wire[] = [];
  const namespaces = new Map<string, Wire[]>();
  for (const tool of request.tools) {
    // Tools that were added later in the conversation go back in a separate item.
    if (tool.path?.startsWith('input[')) continue;
    const encoded = encodeTool(tool, writing);
    if (encoded === null) continue;
    if (tool.path !== undefined) writing.written.set(tool.path, encoded);
    (namespaceOf(tool, tools, namespaces, writing) ?? tools).push(encoded);
  }
  if (tools.length > 0) body.tools = tools;
  if (request.parallelToolCalls !== null) body.parallel_tool_calls = request.parallelToolCalls;
  if (request.toolChoice !== null) body.tool_choice = encodeToolChoice(request.toolChoice, request.tools);
}

/** Returns the tools of the namespace that the tool belongs to. The namespace is added to `tools` with its first tool. */
function namespaceOf(tool: Tool, tools: Wire[], known: Map<string, Wire[]>, { written }: Writing): Wire[] | null {
  const namespace = tool.type === 'function' || tool.type === 'custom' ? tool.namespace : undefined;
  if (namespace === undefined) return null;
  const members = known.get(namespace.path) ?? [];
  if (known.has(namespace.path)) return members;
  known.set(namespace.path, members);
  const { name, description, path } = namespace;
  const encoded: Wire = { type: 'namespace', name, ...(description === null ? {} : { description }), tools: members };
  written.set(path, encoded);
  tools.push(encoded);
  return members;
}

function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  switch (choice.mode) {
    case 'tool':
      return { type: choice.custom ? 'custom' : 'function', name: choice.name };
    case 'allowed': {
      const custom = new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
      const allowed = choice.names.map((name) => ({ type: custom.has(name) ? 'custom' : 'function', name }));
      return { type: 'allowed_tools', mode: choice.required ? 'required' : 'auto', tools: allowed };
    }
    default:
      return choice.mode;
  }
}

function encodeTool(tool: Tool, writing: Writing): Wire | null {
  const { losses } = writing;
  const path = tool.path ?? 'tools';
  switch (tool.type) {
    case 'function':
      return losses.carry('function-tools', path) ? encodeFunction(tool, writing) : null;
    case 'custom': {
      if (!losses.carry('custom-tools', path)) return null;
      const description = tool.description === null ? {} : { description: tool.description };
      return {
        type: 'custom',
        name: tool.namespace?.member ?? tool.name,
        ...description,
        ...(tool.format === null ? {} : { format: flatGrammar(tool.format) }),
      };
    }
    case 'web-search':
      return losses.carry('web-search', path) ? encodeSearch(tool, path, writing) : null;
    default:
      if (tool.raw.format === FORMAT && isRecord(tool.raw.value)) return encodeHosted(tool.raw.value, path, writing);
      losses.carry('hosted-tools', path);
      return null;
  }
}

/** Moves grammar members, which chat completions have under `grammar`, next to the type. */
function flatGrammar(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format.grammar)) return format;
  const { grammar, ...others } = format;
  return { ...others, ...grammar };
}

function encodeFunction(tool: FunctionTool, { losses, isOwn }: Writing): Wire {
  const path = tool.path ?? 'tools';
  const encoded: Wire = { type: 'function', name: tool.namespace?.member ?? tool.name };
  if (tool.description !== null) encoded.description = tool.description;
  encoded.parameters = tool.parameters;
  // A missing `strict` means true here, but false in every other format.
  const strict = tool.strict ?? (isOwn ? null : false);
  if (strict === false || (strict === true && losses.carry('strict-tools', `${path}.strict`))) encoded.strict = strict;
  if (tool.cache !== undefined) losses.carry('cache-marks', markPath(tool));
  if (isOwn) for (const field of tool.rest ?? []) setMember(encoded, lastName(field.path), field.value);
  else losses.noteRest(tool.rest ?? []);
  return encoded;
}

/** Applies the contract's rule for hosted image generation: an `input_fidelity` that the image model refuses is left out. */
function encodeHosted(value: Wire, path: string, { losses }: Writing): Wire {
  if (value.type !== 'image_generation' || value.input_fidelity === undefined || !refusesInputFidelity(value.model)) {
    return { ...value };
  }
  const { input_fidelity: _, ...others } = value;
  losses.note({
    field: `${path}.input_fidelity`,
    verdict: 'dropped',
    why: 'this tool’s image model does not accept input_fidelity',
  });
  return others;
}

function encodeSearch(tool: WebSearchTool, path: string, { losses }: Writing): Wire {
  if (tool.raw.format === FORMAT && isRecord(tool.raw.value)) return { ...tool.raw.value };
  const encoded: Wire = { type: 'web_search' };
  if (tool.allowedDomains !== null) encoded.filters = { allowed_domains: tool.allowedDomains };
  if (tool.userLocation !== null) encoded.user_location = { type: 'approximate', ...tool.userLocation };
  if (tool.contextSize !== null) encoded.search_context_size = tool.contextSize;
  if (tool.blockedDomains !== null && tool.blockedDomains.length > 0) {
    const why = 'web search in the Responses API cannot exclude domains';
    losses.note({ field: `${path}.blocked_domains`, verdict: 'refused', why });
  }
  if (tool.maxUses !== null) {
    const why = 'web search in the Responses API has no limit on uses';
    losses.note({ field: `${path}.max_uses`, verdict: 'dropped', why });
  }
  return encoded;
}

// ---- tools in a namespace

/** Returns the name of a tool in a namespace for formats without namespaces: both names, joined as Codex joins them. */
export function nameInNamespace(namespace: string, member: string): string {
  return namespace.endsWith('__') || member.startsWith('_') ? namespace + member : `${namespace}__${member}`;
}

interface CalledName {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * The names of the tools in namespaces, computed once for the tools of a request. A request may have as many calls as tools.
 */
const namespaced = new WeakMap<readonly Tool[], ReadonlyMap<string, CalledName>>();

/** Returns the name and namespace that a call of the tool is written with. */
export function calledName(name: string, tools: readonly Tool[]): CalledName {
  let names = namespaced.get(tools);
  if (names === undefined) {
    names = namesInNamespaces(tools);
    namespaced.set(tools, names);
  }
  return names.get(name) ?? { name };
}

function namesInNamespaces(tools: readonly Tool[]): ReadonlyMap<string, CalledName> {
  const names = new Map<string, CalledName>();
  for (const tool of tools) {
    // The first tool of a name wins.
    if ((tool.type !== 'function' && tool.type !== 'custom') || names.has(tool.name)) continue;
    const { namespace, name } = tool;
    names.set(name, namespace ? { name: namespace.member, namespace: namespace.name } : { name });
  }
  return names;
}
