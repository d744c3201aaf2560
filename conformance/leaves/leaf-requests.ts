import type { DocumentName } from '../judges/document.ts';
import { dialectSchemas, schemasOf } from '../judges/documents.ts';
import type { Format } from '../judges/index.ts';
import { asksToThink, type ClientRequest } from '../requests/recorded-requests.ts';
import { asArray, asObject, isObject } from '../shared/json.ts';
import { PDF, PNG } from './leaf-values.ts';
import { SchemaWalk, type Spelling, type Variant } from './schema-walk.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request that its published document allows: a small conversation with one leaf, or two, added. */
export interface LeafRequest {
  readonly format: Format;
  readonly about: string;
  readonly body: Body;
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Where?' } },
  required: ['city'],
  additionalProperties: false,
};

const BASES: Readonly<Record<Format, Body>> = {
  'openai-chat': {
    model: 'public',
    messages: [{ role: 'user', content: 'What is the weather?' }],
    tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
  },
  'openai-responses': {
    model: 'public',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is the weather?' }] }],
    tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }],
  },
  'anthropic-messages': {
    model: 'public',
    max_tokens: 4096,
    messages: [{ role: 'user', content: 'What is the weather?' }],
    tools: [{ name: 'weather', input_schema: SCHEMA }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'What is the weather?' }] }],
    tools: [
      { functionDeclarations: [{ name: 'weather', description: 'Tells the weather.', parametersJsonSchema: SCHEMA }] },
    ],
  },
};

const snakeCase: Spelling = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The components that describe a whole request of the format; both, if a document has two. */
const COMPONENTS: Readonly<Record<Format, readonly (readonly [DocumentName, string])[]>> = {
  'openai-chat': [['openai', 'CreateChatCompletionRequest']],
  'openai-responses': [['openai', 'CreateResponse']],
  'anthropic-messages': [
    ['anthropic', 'CreateMessageParams'],
    ['anthropic', 'BetaCreateMessageParams'],
  ],
  gemini: [['gemini', 'GenerateContentRequest']],
};

const leavesOfFormats = new Map<Format, readonly LeafRequest[]>();

/** Returns a request for each leaf of the format's documents; Gemini's in both spellings. */
export function leafRequests(format: Format): readonly LeafRequest[] {
  const found = leavesOfFormats.get(format) ?? requestsOf(format, COMPONENTS[format]);
  leavesOfFormats.set(format, found);
  return found;
}

/** Returns a request for each leaf of Open Responses, the document of what all servers of OpenAI's format have in common. */
export function openResponsesRequests(): readonly LeafRequest[] {
  return requestsOf('openai-responses', [['openresponses', 'CreateResponseBody']]);
}

/**
 * Gives each file bytes of its declared media type, because gateways compare the two and a path does not
 * determine the type.
 */
function withFilesOfTheirType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFilesOfTheirType);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withFilesOfTheirType(member)]);
  const isPdf = value.media_type === 'application/pdf' && value.data === PNG;
  return { ...Object.fromEntries(members), ...(isPdf && { data: PDF }) };
}

function requestsOf(format: Format, components: readonly (readonly [DocumentName, string])[]): readonly LeafRequest[] {
  const found = new Map<string, LeafRequest>();
  for (const [document, component] of components) {
    const spellings: readonly Spelling[] = format === 'gemini' ? [(name) => name, snakeCase] : [(name) => name];
    for (const spelling of spellings) {
      const members = new SchemaWalk(schemasOf(document, 'request'), spelling).members(component);
      for (const [name, variants] of members) {
        if (name === 'model') continue;
        for (const variant of variants) {
          const body = asObject(withFilesOfTheirType(requestWith(format, name, variant)));
          const key = JSON.stringify(body);
          if (!found.has(key)) found.set(key, { format, about: variant.about, body });
        }
      }
    }
  }
  return [...found.values()];
}

const DIALECTS = {
  openrouter: 'ChatRequest',
  groq: 'CreateChatCompletionRequest',
  mistral: 'ChatCompletionRequest',
  together: 'ChatCompletionRequest',
} as const;

/** A provider whose own published document extends OpenAI's chat completions. */
export type Dialect = keyof typeof DIALECTS;

// `Object.keys` returns `string[]`; these are the only keys.
export const CHAT_DIALECTS = Object.keys(DIALECTS) as readonly Dialect[];

/** Returns a chat request for each leaf of the provider's document. */
export function dialectRequests(dialect: Dialect): readonly LeafRequest[] {
  const found = new Map<string, LeafRequest>();
  const schemas = Object.entries(dialectSchemas(dialect)).map(([name, schema]) => [name, withKind(schema)] as const);
  for (const [name, variants] of new SchemaWalk(Object.fromEntries(schemas)).members(DIALECTS[dialect])) {
    if (name === 'model') continue;
    for (const variant of variants) {
      const body = requestWith('openai-chat', name, variant);
      found.set(JSON.stringify(body), { format: 'openai-chat', about: `${dialect}: ${variant.about}`, body });
    }
  }
  return [...found.values()];
}

/** Requires constant members that identify an object (Mistral's `role` and `type`), as clients send them. */
function withKind(schema: Body): Body {
  const kinds = ['role', 'type'].filter((name) => asObject(asObject(schema.properties)[name]).const !== undefined);
  return kinds.length === 0 ? schema : { ...schema, required: [...new Set([...asArray(schema.required), ...kinds])] };
}

/** Returns the request in the form of the recorded requests' bed. */
export function asClientRequest({ format, about, body }: LeafRequest): ClientRequest {
  const kind = asksToThink(body) ? 'thinking' : 'plain';
  return { name: about, format, text: JSON.stringify(body), body, stream: body.stream === true, kind, headers: {} };
}

/** The lists to which a leaf is added; any other member is replaced. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['messages', 'input', 'contents']);

function requestWith(format: Format, name: string, { value }: Variant): Body {
  const base = BASES[format];
  const adds = Array.isArray(value) && (CONVERSATIONS.has(name) || name === 'tools');
  const together = adds ? [...asArray(base[name]), ...value] : value;
  return coherent(format, { ...base, [name]: together });
}

/** Adds the members that a leaf depends on: results get their calls, tool choices the tools that they name. */
function coherent(format: Format, body: Body): Body {
  switch (format) {
    case 'openai-chat':
      return {
        ...body,
        ...(body.top_logprobs === undefined ? {} : { logprobs: true }),
        ...(isObject(body.response_format) ? { response_format: chatFormat(body.response_format) } : {}),
        messages: asArray(body.messages).flatMap(chatTurn),
      };
    case 'openai-responses':
      return { ...body, ...(Array.isArray(body.input) ? { input: body.input.flatMap(responsesItem) } : {}) };
    case 'anthropic-messages':
      return { ...body, messages: asArray(body.messages).flatMap(messagesTurn) };
    case 'gemini':
      return { ...body, contents: asArray(body.contents).flatMap(geminiTurn) };
  }
}

/** A schema needs the type for JSON, and vice versa. */
function chatFormat(format: Body): Body {
  if ((format.json_schema ?? null) !== null) return { ...format, type: 'json_schema' };
  return format.type === 'json_schema' ? { ...format, json_schema: { name: 'weather', schema: SCHEMA } } : format;
}

function chatTurn(message: unknown): readonly unknown[] {
  const { role, tool_call_id: id, name } = asObject(message);
  if (role === 'tool') {
    const call = { id, type: 'function', function: { name: name ?? 'weather', arguments: '{"city":"Rome"}' } };
    return [{ role: 'assistant', tool_calls: [call] }, message];
  }
  if (role === 'function') {
    return [{ role: 'assistant', content: null, function_call: { name, arguments: '{"city":"Rome"}' } }, message];
  }
  return [message];
}

function responsesItem(item: unknown): readonly unknown[] {
  const { type, call_id: id } = asObject(item);
  if (type === 'function_call_output') {
    const answered = id ?? 'call_1';
    const call = { type: 'function_call', call_id: answered, name: 'weather', arguments: '{"city":"Rome"}' };
    return [call, { ...asObject(item), call_id: answered }];
  }
  if (type === 'custom_tool_call_output') {
    return [{ type: 'custom_tool_call', call_id: id, name: 'weather', input: 'Rome' }, item];
  }
  return [item];
}

function messagesTurn(message: unknown): readonly unknown[] {
  const { role, content } = asObject(message);
  const [block] = asArray(content);
  if (!isObject(block)) return [message];
  const calls = ['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use'];
  if (calls.includes(String(block.type))) return [{ role: 'assistant', content }];
  if (block.type === 'tool_result') {
    const call = { type: 'tool_use', id: block.tool_use_id, name: 'weather', input: { city: 'Rome' } };
    return [
      { role: 'assistant', content: [call] },
      { role: 'user', content },
    ];
  }
  return [{ role: role ?? 'user', content }];
}

function geminiTurn(content: unknown): readonly unknown[] {
  const { role, parts } = asObject(content);
  const [part] = asArray(parts);
  const response = asObject(asObject(part).functionResponse ?? asObject(part).function_response);
  if (response.name !== undefined || response.response !== undefined) {
    const call = {
      functionCall: {
        name: response.name,
        args: { city: 'Rome' },
        ...(response.id === undefined ? {} : { id: response.id }),
      },
    };
    return [
      { role: 'model', parts: [call] },
      { role: 'user', parts },
    ];
  }
  const isModels = [
    'functionCall',
    'function_call',
    'thought',
    'thoughtSignature',
    'thought_signature',
    'executableCode',
    'executable_code',
    'codeExecutionResult',
    'code_execution_result',
  ];
  const speaker = isModels.some((name) => isObject(part) && name in part) ? 'model' : 'user';
  return [role === undefined ? { role: speaker, parts } : content];
}
