import { jsonSchema, type ModelMessage, Output, type ToolChoice, type ToolSet, tool } from 'ai';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import type { ChatRequest } from './chat-case.ts';

/**
 * The `ai` SDK would download a remote image before it sends the request; a one-pixel image keeps the test
 * offline.
 */
const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type UserContent = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>;
type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content'];

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((part) => asObject(part).text)
    .filter((part): part is string => typeof part === 'string')
    .join('');
}

/**
 * Parts that the SDK does not support (a provider's own types) become text, so that the turn is not empty.
 */
function userPart(part: unknown): UserContent[number] {
  const { type, text: words, image_url: image, input_audio: audio } = asObject(part);
  if (type === 'text' && typeof words === 'string') return { type: 'text', text: words };
  if (type === 'image_url') {
    const url = typeof image === 'string' ? image : asObject(image).url;
    const isBase64 = typeof url === 'string' && /^data:image\/[a-z]+;base64,[A-Za-z0-9+/]+=*$/.test(url);
    return { type: 'file', data: isBase64 ? url : ONE_PIXEL, mediaType: 'image/png' };
  }
  if (type === 'input_audio') {
    const { data, format } = asObject(audio);
    if (typeof data === 'string')
      return { type: 'file', data, mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav' };
  }
  return { type: 'text', text: `(a part of type ${String(type)})` };
}

function userMessage(content: unknown): ModelMessage {
  if (!Array.isArray(content)) return { role: 'user', content: text(content) || '(empty)' };
  return { role: 'user', content: content.map(userPart) };
}

/** Calls without a result are left out: the SDK rejects a conversation with an unresolved tool call. */
function assistantMessage(message: Readonly<Record<string, unknown>>, answered: ReadonlySet<string>): ModelMessage {
  const content: AssistantContent = [];
  const words = text(message.content);
  if (words !== '') content.push({ type: 'text', text: words });
  for (const call of asArray(message.tool_calls)) {
    const { id, function: called } = asObject(call);
    const { name, arguments: input } = asObject(called);
    if (typeof id !== 'string' || !answered.has(id)) continue;
    content.push({ type: 'tool-call', toolCallId: id, toolName: String(name), input: parseJson(String(input)) ?? {} });
  }
  return content.length > 0 ? { role: 'assistant', content } : { role: 'assistant', content: '(empty)' };
}

function toolNames(messages: readonly unknown[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => asArray(asObject(message).tool_calls)).map(asObject);
  return new Map(calls.map((call) => [String(call.id), String(asObject(call.function).name)]));
}

function toolMessage(message: Readonly<Record<string, unknown>>, names: ReadonlyMap<string, string>): ModelMessage {
  const toolCallId = String(message.tool_call_id);
  const output = { type: 'text', value: text(message.content) } as const;
  const content: ToolContent = [
    { type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? 'unknown', output },
  ];
  return { role: 'tool', content };
}

function modelMessages(messages: readonly unknown[]): ModelMessage[] {
  const names = toolNames(messages);
  const results = messages.map(asObject).filter((message) => message.role === 'tool');
  const answered = new Set(results.map((message) => String(message.tool_call_id)));
  return messages.map(asObject).flatMap((message): ModelMessage[] => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return [{ role: 'system', content: text(message.content) }];
      case 'assistant':
        return [assistantMessage(message, answered)];
      case 'tool':
        return names.has(String(message.tool_call_id)) ? [toolMessage(message, names)] : [];
      default:
        return [userMessage(message.content)];
    }
  });
}

function toolSet(request: ChatRequest): ToolSet {
  const functions = asArray(request.tools).map((entry) => asObject(asObject(entry).function));
  return Object.fromEntries(
    functions.map(({ name, description, parameters }) => [
      String(name),
      tool({
        ...(typeof description === 'string' ? { description } : {}),
        inputSchema: jsonSchema(isObject(parameters) ? parameters : { type: 'object', properties: {} }),
      }),
    ]),
  );
}

function toolChoice(choice: unknown, tools: ToolSet): ToolChoice<ToolSet> | undefined {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  if (choice === 'any') return 'required';
  const name = asObject(asObject(choice).function).name;
  return typeof name === 'string' && name in tools ? { type: 'tool', toolName: name } : undefined;
}

function output(format: unknown) {
  const { type, json_schema: wrapped } = asObject(format);
  if (type === 'json_object') return Output.json();
  if (type !== 'json_schema') return undefined;
  const { name, schema } = asObject(wrapped);
  const shape = jsonSchema(isObject(schema) ? schema : { type: 'object' });
  return Output.object({ schema: shape, ...(typeof name === 'string' ? { name } : {}) });
}

function numberOr<K extends string>(key: K, ...values: readonly unknown[]): { readonly [key in K]?: number } {
  const found = values.find((value) => typeof value === 'number');
  // A computed key widens to `string`, although there is only one.
  return (found === undefined ? {} : { [key]: found }) as { readonly [key in K]?: number };
}

/** Returns the recorded chat request as settings of the `ai` SDK. */
export function aiCallSettings(request: ChatRequest) {
  const tools = toolSet(request);
  const choice = toolChoice(request.tool_choice, tools);
  const structured = output(request.response_format);
  const stop = request.stop;
  const stopSequences = typeof stop === 'string' ? [stop] : asArray(stop).map(String);
  return {
    messages: modelMessages(asArray(request.messages)),
    allowSystemInMessages: true,
    ...(Object.keys(tools).length > 0 ? { tools } : {}),
    ...(choice === undefined || Object.keys(tools).length === 0 ? {} : { toolChoice: choice }),
    ...(structured === undefined ? {} : { output: structured }),
    ...(stopSequences.length > 0 ? { stopSequences } : {}),
    ...numberOr('maxOutputTokens', request.max_completion_tokens, request.max_tokens),
    ...numberOr('temperature', request.temperature),
    ...numberOr('topP', request.top_p),
    ...numberOr('presencePenalty', request.presence_penalty),
    ...numberOr('frequencyPenalty', request.frequency_penalty),
    ...numberOr('seed', request.seed),
  };
}
