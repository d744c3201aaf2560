import type { RestField } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest, Tool, ToolChoice } from '../../../domain/exchange/request.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { numberOrNull, textOrNull, textsOf } from '../../shared/json/json-values.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { noteUnknown } from '../shared/rest.ts';
import { OWN_TOOL_FIELDS } from './fields.ts';
import { cacheMark } from './messages.decode.ts';
import { FORMAT } from './schema.ts';

type Wire = Readonly<Record<string, unknown>>;

const CUSTOM_TOOL_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'],
  ...Object.keys(OWN_TOOL_FIELDS),
]);

const WEB_SEARCH_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'allowed_domains', 'blocked_domains', 'max_uses', 'user_location', 'cache_control'],
  ...Object.keys(OWN_TOOL_FIELDS),
]);

const OWN_TOOL_MEMBERS = Object.entries(OWN_TOOL_FIELDS);

function noteOwnToolMembers(wire: Wire, known: ReadonlySet<string>, path: string, rest: RestField[]): void {
  for (const [name, kept] of OWN_TOOL_MEMBERS) {
    const value = wire[name];
    if (value !== null && value !== undefined) rest.push({ path: `${path}.${name}`, value, ...kept });
  }
  noteUnknown(wire, known, path, rest);
}

export function decodeTools(value: unknown, rest: RestField[]): Tool[] {
  if (!Array.isArray(value)) return [];
  return value.map((tool: unknown, index) => decodeTool(objectOf(tool), `tools[${index}]`, rest));
}

const SEARCH_MARK = 'no other provider caches the prompt up to its search';

function decodeTool(wire: Wire, path: string, rest: RestField[]): Tool {
  const type = textOrNull(wire.type);
  if (type !== null && type !== 'custom') {
    const raw = { format: FORMAT, value: wire };
    if (!type.startsWith('web_search_')) return { type: 'hosted', name: type, raw, path };
    noteOwnToolMembers(wire, WEB_SEARCH_MEMBERS, path, rest);
    if (isRecord(wire.cache_control)) {
      rest.push({ path: `${path}.cache_control`, value: wire.cache_control, verdict: 'dropped', why: SEARCH_MARK });
    }
    return decodeWebSearch(wire, path);
  }
  noteOwnToolMembers(wire, CUSTOM_TOOL_MEMBERS, path, rest);
  return {
    type: 'function',
    name: String(wire.name),
    description: textOrNull(wire.description),
    parameters: isRecord(wire.input_schema) ? exactOf(wire.input_schema) : null,
    strict: typeof wire.strict === 'boolean' ? wire.strict : null,
    path,
    ...(isRecord(wire.cache_control) ? { cache: cacheMark(wire.cache_control) } : {}),
  };
}

function decodeWebSearch(wire: Wire, path: string): Tool {
  const location = isRecord(wire.user_location) ? wire.user_location : null;
  return {
    type: 'web-search',
    allowedDomains: textsOf(wire.allowed_domains),
    blockedDomains: textsOf(wire.blocked_domains),
    maxUses: numberOrNull(wire.max_uses),
    userLocation: location && {
      ...(typeof location.city === 'string' ? { city: location.city } : {}),
      ...(typeof location.region === 'string' ? { region: location.region } : {}),
      ...(typeof location.country === 'string' ? { country: location.country } : {}),
      ...(typeof location.timezone === 'string' ? { timezone: location.timezone } : {}),
    },
    contextSize: null,
    raw: { format: FORMAT, value: wire },
    path,
  };
}

const CHOICE_MEMBERS = new Set(['type', 'name', 'disable_parallel_tool_use']);

export function decodeToolChoice(
  wire: Wire,
  rest: RestField[],
): Pick<ExchangeRequest, 'toolChoice' | 'parallelToolCalls'> {
  noteUnknown(wire, CHOICE_MEMBERS, 'tool_choice', rest);
  const { disable_parallel_tool_use: isDisabled } = wire;
  return { toolChoice: choiceOf(wire), parallelToolCalls: typeof isDisabled === 'boolean' ? !isDisabled : null };
}

function choiceOf({ type, name }: Wire): ToolChoice | null {
  if (type === 'tool') return { mode: 'tool', name: String(name) };
  if (type === 'any') return { mode: 'required' };
  return type === 'auto' || type === 'none' ? { mode: type } : null;
}
