import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { type Feature, Losses } from '../../../domain/exchange/loss.ts';
import { mayReturnTo } from '../../../domain/exchange/opaque-state.ts';
import type {
  MediaPart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
} from '../../../domain/exchange/part.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import { budgetOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeRequest, FunctionTool } from '../../../domain/exchange/request.ts';
import type { EncodedRequest, EncodeTarget, FieldTable } from '../../format.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { isRecord } from '../../shared/json/record.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { lostState } from '../shared/lost-state.ts';
import { noteNameless } from '../shared/nameless-files.ts';
import { documentId, FORMAT, THINKING, TOOL_PLAN } from './schema.ts';

type Block = Readonly<Record<string, unknown>>;

interface Encoding {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** The documents of all user messages. The API of Cohere has them outside the conversation. */
  readonly documents: Block[];
  /** For each document, the request's setting for citing it. */
  readonly wantsCitations: boolean[];
}

/** Returns the body of POST /v2/chat. */
export function encodeRequest(asked: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const losses = new Losses(target.carries, asked.names);
  const request = carriedRequest(asked, losses, false);
  const encoding: Encoding = { request, target, losses, documents: [], wantsCitations: [] };
  losses.noteRest(request.rest);
  const messages = request.messages.flatMap((message) => encodeMessage(message, encoding));
  const { documents, wantsCitations } = encoding;
  const tools = encodeTools(encoding);
  const isUncited = wantsCitations.length > 0 && !wantsCitations.includes(true);
  // `undefined` members are left out of the JSON.
  const body = {
    model: target.upstreamModel,
    messages,
    stream: target.stream,
    ...encodeSampling(encoding),
    ...tools,
    documents: documents.length === 0 ? undefined : documents,
    citation_options: isUncited ? { mode: 'OFF' } : undefined,
    response_format: encodeResponseFormat(encoding, Object.keys(tools).length > 0),
    thinking: encodeThinking(encoding),
    logprobs: encodeLogprobs(encoding),
  };
  applyQuirks(body, target.quirks, { names: request.names, losses, fields: FIELDS, added: ADDED });
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

/** The feature of each member of the body, where the member belongs to one feature. */
const FIELDS: FieldTable = {
  max_tokens: 'max-output-tokens',
  temperature: 'temperature',
  p: 'top-p',
  k: 'top-k',
  frequency_penalty: 'frequency-penalty',
  presence_penalty: 'presence-penalty',
  seed: 'seed',
  stop_sequences: 'stop',
  tools: 'function-tools',
  tool_choice: 'tool-choice',
  response_format: 'json-schema',
  thinking: 'reasoning-budget',
  logprobs: 'logprobs',
};
const ADDED: ReadonlySet<string> = new Set(['stream']);

// ---- messages

function encodeMessage(message: Message, encoding: Encoding): Block[] {
  const { losses } = encoding;
  if (message.name !== undefined) losses.carry('participant-name', `${message.path ?? 'messages'}.name`);
  for (const part of message.parts) if (part.cache !== undefined) losses.carry('cache-marks', markPath(part));
  switch (message.role) {
    case 'assistant':
      return encodeAssistant(message, encoding);
    case 'tool':
      return message.parts.flatMap((part) => (part.type === 'tool-result' ? [encodeToolResult(part, encoding)] : []));
    default: {
      const content = message.parts.flatMap((part) => encodeContent(part, encoding));
      const role = message.role === 'user' ? 'user' : 'system';
      if (content.length > 0) return [{ role, content }];
      // A message with only documents still keeps its place in the conversation.
      return message.parts.some((part) => part.type === 'document') ? [{ role, content: '' }] : [];
    }
  }
}

function encodeContent(part: Part, encoding: Encoding): Block[] {
  const { losses } = encoding;
  switch (part.type) {
    case 'text':
      return encodeText(part, losses);
    case 'refusal':
      return losses.carry('refusal', part.path) ? [{ type: 'text', text: part.text }] : [];
    case 'unknown':
      if (part.format === FORMAT && isRecord(part.value)) return [part.value];
      losses.carry('unknown-blocks', part.path);
      return [];
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return encodeMedia(part, encoding);
    default:
      losses.note({
        field: pathOf(part),
        verdict: 'refused',
        why: 'reasoning, calls and results each have only one role',
      });
      return [];
  }
}

function encodeText(part: TextPart, losses: Losses): Block[] {
  if (part.citations !== undefined && part.citations.length > 0) {
    const why = 'citations in earlier answers are not sent back to Cohere, only the text';
    losses.note({ field: `${pathOf(part)}.citations`, verdict: 'dropped', why });
  }
  if (part.state !== undefined) noteLostState(part, losses);
  return part.text === '' ? [] : [{ type: 'text', text: part.text }];
}

function noteLostState(part: Part, losses: Losses): void {
  const why = 'reasoning state goes back only to its issuer';
  losses.note(lostState(part, why));
}

function encodeAssistant(message: Message, encoding: Encoding): Block[] {
  const { losses } = encoding;
  const content: Block[] = [];
  const toolCalls: Block[] = [];
  let toolPlan = '';
  for (const part of message.parts) {
    if (part.type === 'reasoning') {
      const kind = returnableReasoning(part, encoding);
      if (kind === TOOL_PLAN) toolPlan += part.text;
      else if (kind !== null && part.text !== '') content.push({ type: 'thinking', thinking: part.text });
    } else if (part.type === 'tool-call') {
      if (part.custom === true && !losses.carry('custom-tools', part.path)) continue;
      if (part.state !== undefined) noteLostState(part, losses);
      const { id, name } = part;
      toolCalls.push({
        id,
        type: 'function',
        function: { name, arguments: part.arguments === '' ? '{}' : part.arguments },
      });
    } else content.push(...encodeContent(part, encoding));
  }
  if (content.length === 0 && toolCalls.length === 0) return [];
  return [
    {
      role: 'assistant',
      ...(content.length === 0 ? {} : { content }),
      ...(toolPlan === '' ? {} : { tool_plan: toolPlan }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
  ];
}

/** Returns the kind of a reasoning part that Cohere issued. Reasoning of other providers is not sent. */
function returnableReasoning(part: ReasoningPart, { target, losses }: Encoding): string | null {
  const { state } = part;
  const reader = { family: 'cohere', provider: target.provider, channel: target.channel } as const;
  if (state !== undefined && mayReturnTo(state, reader) && (state.data === THINKING || state.data === TOOL_PLAN)) {
    return state.data;
  }
  losses.note({ field: pathOf(part), verdict: 'dropped', why: 'Cohere gets back only its own reasoning' });
  return null;
}

function encodeToolResult(part: ToolResultPart, encoding: Encoding): Block {
  const { losses } = encoding;
  if (part.isError === true) losses.carry('tool-result-error', `${pathOf(part)}.is_error`);
  const content = part.content.flatMap((inner): Block[] => {
    if (inner.cache !== undefined) losses.carry('cache-marks', `${pathOf(inner)}.cache_control`);
    if (inner.type === 'text' || inner.type === 'unknown') return encodeContent(inner, encoding);
    const data = inner.type === 'document' ? documentData(inner) : null;
    if (data !== null) return [{ type: 'document', document: { data } }];
    losses.carry('tool-result-media', inner.path);
    return [];
  });
  return { role: 'tool', tool_call_id: part.id, content: content.length === 0 ? '' : content };
}

// ---- media

function encodeMedia(part: MediaPart, encoding: Encoding): Block[] {
  const { losses, documents, wantsCitations } = encoding;
  if (part.source.kind === 'file') {
    losses.carry('provider-file', part.path);
    return [];
  }
  if (part.state !== undefined) noteLostState(part, losses);
  noteNameless(part, losses);
  if (part.type === 'image') return encodeImage(part, losses);
  const data = part.type === 'document' ? documentData(part) : null;
  if (data === null) {
    losses.carry(`${part.type}-${part.source.kind === 'url' ? 'url' : 'inline'}` satisfies Feature, part.path);
    return [];
  }
  if (!losses.carry('document-text', part.path)) return [];
  if (part.citationsEnabled !== undefined) wantsCitations.push(part.citationsEnabled);
  documents.push({ id: documentId(documents.length), data });
  return [];
}

function encodeImage(part: MediaPart, losses: Losses): Block[] {
  const { source } = part;
  if (!losses.carry(source.kind === 'url' ? 'image-url' : 'image-inline', part.path)) return [];
  const url = source.kind === 'base64' ? `data:${part.mediaType ?? 'image/png'};base64,${source.data}` : '';
  const image = { url: source.kind === 'url' ? source.url : url };
  const hasDetail = part.detail !== undefined && losses.carry('image-detail', `${pathOf(part)}.detail`);
  return [{ type: 'image_url', image_url: hasDetail ? { ...image, detail: part.detail } : image }];
}

/** Returns a plain text document with its known metadata; `null` for any other document. */
function documentData(part: MediaPart): Block | null {
  const text = plainText(part);
  if (text === null) return null;
  const title = part.title ?? part.fileName;
  return {
    text,
    ...(title === undefined ? {} : { title }),
    ...(part.context === undefined ? {} : { context: part.context }),
  };
}

function plainText({ source, mediaType }: MediaPart): string | null {
  if (source.kind === 'text') return source.text;
  const isText = mediaType !== null && /^text\/|[/+](?:json|xml|yaml)\b/.test(mediaType);
  return source.kind === 'base64' && isText ? Buffer.from(source.data, 'base64').toString('utf8') : null;
}

// ---- settings

const STOP_SEQUENCES = 5;

function encodeSampling(encoding: Encoding): Record<string, unknown> {
  const { request, losses } = encoding;
  const { maxOutputTokens, stop, seed } = request;
  if (stop.length > STOP_SEQUENCES) {
    const why = `Cohere accepts ${STOP_SEQUENCES} stop sequences, so the others are left out`;
    losses.note({ field: request.names.stop ?? 'stop', verdict: 'approximated', why });
  }
  return {
    max_tokens: maxOutputTokens ?? undefined,
    temperature: numberIn(encoding, 'temperature', request.temperature, 0, 2),
    p: numberIn(encoding, 'top-p', request.topP, 0.01, 0.99),
    k: numberIn(encoding, 'top-k', request.topK, 0, 500),
    frequency_penalty: numberIn(encoding, 'frequency-penalty', request.frequencyPenalty, 0, 1),
    presence_penalty: numberIn(encoding, 'presence-penalty', request.presencePenalty, 0, 1),
    seed: seed ?? undefined,
    stop_sequences: stop.length > 0 ? stop.slice(0, STOP_SEQUENCES) : undefined,
  };
}

/** Returns the value, limited to the range in the API reference. A value outside of it is a 400. */
function numberIn(
  { request, losses }: Encoding,
  feature: Feature,
  value: number | null,
  least: number,
  most: number,
): number | undefined {
  if (value === null) return undefined;
  const within = Math.min(Math.max(value, least), most);
  if (within !== value) {
    const why = `Cohere accepts values from ${least} to ${most}`;
    losses.note({ field: request.names[feature] ?? feature, verdict: 'approximated', why });
  }
  return within;
}

function encodeLogprobs({ request, losses }: Encoding): boolean | undefined {
  if (request.logprobs === null) return undefined;
  if (request.logprobs.top > 0) {
    const why = 'Cohere reports only the chosen tokens, without alternatives';
    losses.note({ field: request.names.logprobs ?? 'top_logprobs', verdict: 'approximated', why });
  }
  return true;
}

function encodeResponseFormat(encoding: Encoding, hasTools: boolean): Block | undefined {
  const { request, losses, documents } = encoding;
  const format = request.responseFormat;
  if (format === null || format.type === 'text') return undefined;
  if (hasTools || documents.length > 0) {
    const field = request.names[format.type === 'json' ? 'json-mode' : 'json-schema'] ?? 'response_format';
    // docs.cohere.com, "Structured outputs".
    losses.note({
      field,
      verdict: 'refused',
      why: 'Cohere rejects a response format together with tools or documents',
    });
    return undefined;
  }
  if (format.type === 'json') return { type: 'json_object' };
  if (format.name !== null || format.description !== null) {
    const why = 'Cohere accepts only the schema, without a name or description';
    losses.note({ field: request.names['json-schema'] ?? 'response_format', verdict: 'approximated', why });
  }
  return { type: 'json_object', schema: format.schema };
}

function encodeThinking({ request }: Encoding): Block | undefined {
  const options = request.reasoning;
  if (options === null) return undefined;
  const saysNothing = options.effort === null && options.budgetTokens === null && options.enabled === null;
  if (saysNothing && !options.adaptive) return undefined;
  if (isReasoningOff(options)) return { type: 'disabled' };
  const budget = budgetOf(options);
  return { type: 'enabled', ...(budget === null ? {} : { token_budget: budget }) };
}

// ---- tools

function encodeTools(encoding: Encoding): Record<string, unknown> {
  const { losses } = encoding;
  const tools = declaredTools(encoding);
  if (tools.length === 0) return {};
  const isStrict = encodeStrict(tools, losses);
  return {
    tools: tools.map((tool) => encodeTool(tool, losses)),
    tool_choice: toolChoiceOf(encoding.request),
    strict_tools: isStrict ? true : undefined,
  };
}

/** Returns the function tools that may be called. Any other declared tool is noted as lost. */
function declaredTools({ request, losses }: Encoding): FunctionTool[] {
  const choice = request.toolChoice;
  let allowed: ReadonlySet<string> | null = null;
  if (choice?.mode === 'tool') allowed = new Set([choice.name]);
  if (choice?.mode === 'allowed') allowed = new Set(choice.names);
  const functions: FunctionTool[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'custom') losses.carry('custom-tools', tool.path);
    else if (tool.type === 'web-search') losses.carry('web-search', tool.path);
    else if (tool.type === 'hosted') losses.carry('hosted-tools', tool.path);
    else if (allowed !== null && !allowed.has(tool.name)) {
      const why = 'only the tools that may be called are declared';
      losses.note({ field: pathOfTool(tool), verdict: 'approximated', why });
    } else if (losses.carry('function-tools', tool.path)) functions.push(tool);
  }
  return functions;
}

function encodeTool(tool: FunctionTool, losses: Losses): Block {
  if (tool.rest !== undefined) losses.noteRest(tool.rest);
  if (tool.cache !== undefined) losses.carry('cache-marks', markPath(tool));
  const { name, description } = tool;
  const parameters = tool.parameters ?? { type: 'object', properties: {} };
  return { type: 'function', function: { name, ...(description === null ? {} : { description }), parameters } };
}

/**
 * Returns whether to use strict mode, which applies to all tools or to none, and requires each tool to have a required parameter
 * (Cohere, "Structured outputs (tools)").
 */
function encodeStrict(tools: readonly FunctionTool[], losses: Losses): boolean {
  const strict = tools.filter((tool) => tool.strict === true);
  if (strict.length === 0) return false;
  const isPossible = tools.every((tool) => tool.strict === true && requiresSomething(tool));
  const why = 'Cohere’s strict mode covers all tools or none, and requires a parameter in each';
  for (const tool of strict) {
    const field = `${pathOfTool(tool)}.strict`;
    if (isPossible) return losses.carry('strict-tools', field);
    losses.note({ field, verdict: 'dropped', why });
  }
  return false;
}

function requiresSomething({ parameters }: FunctionTool): boolean {
  return Array.isArray(parameters?.required) && parameters.required.length > 0;
}

/** Returns the tool choice; in Cohere's API a missing one lets the model choose. */
function toolChoiceOf({ toolChoice: choice }: ExchangeRequest): string | undefined {
  switch (choice?.mode) {
    case 'none':
      return 'NONE';
    case 'required':
    case 'tool':
      return 'REQUIRED';
    case 'allowed':
      return choice.required ? 'REQUIRED' : undefined;
    default:
      return undefined;
  }
}

function pathOfTool(tool: FunctionTool): string {
  return tool.path ?? 'tools';
}

function pathOf(part: Part): string {
  return part.path ?? part.type;
}
