import OpenAI from 'openai';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { asArray, asObject } from '../../shared/json.ts';
import { SYSTEM, TOOL } from '../script.ts';
import type { Client, LoopCall, Reply, Results, Session } from './client.ts';

type Message = Readonly<Record<string, unknown>>;
/** Selects the part of a response message that is sent back. */
type Keep = (message: Message) => Message;

const COMMON = {
  format: 'openai-chat',
  takesToolImages: false,
  argumentsAreText: true,
  forms: ['whole', 'stream'],
} as const;

const echo: Keep = (message) => message;
const rebuild: Keep = ({ role, content, tool_calls }) => ({
  role,
  content,
  ...(asArray(tool_calls).length === 0 ? {} : { tool_calls: asArray(tool_calls).map(plainCall) }),
});
/** Sends reasoning back as DeepSeek's docs do, and as clients do that ignore `reasoning_details`. */
const withReasoningContent: Keep = (message) => ({ ...rebuild(message), reasoning_content: message.reasoning_content });

function plainCall(call: unknown): Message {
  const { id, type, function: made } = asObject(call);
  const { name, arguments: text } = asObject(made);
  return { id, type, function: { name, arguments: text } };
}

export const CHAT_CLIENTS: readonly Client[] = [
  { ...COMMON, style: 'echoes the message', keepsAll: true, open: (call) => new ChatSession(call, echo) },
  {
    ...COMMON,
    style: "echoes the message of the SDK's stream helper",
    // When it joins the deltas, only the last one of a field that OpenAI does not define stays.
    keepsAll: false,
    forms: ['stream'],
    open: (call) => new ChatSession(call, echo, true),
  },
  {
    ...COMMON,
    style: 'keeps text, calls and reasoning_content',
    keepsAll: false,
    open: (call) => new ChatSession(call, withReasoningContent),
  },
  { ...COMMON, style: 'keeps text and calls', keepsAll: false, open: (call) => new ChatSession(call, rebuild) },
];

class ChatSession implements Session {
  private readonly history: ChatCompletionMessageParam[];
  private readonly sdk: OpenAI;

  constructor(
    private readonly call: LoopCall,
    private readonly keep: Keep,
    private readonly usesHelper = false,
  ) {
    this.sdk = new OpenAI({ baseURL: `${call.origin}/v1`, apiKey: call.apiKey, maxRetries: 0, logLevel: 'off' });
    this.history = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: call.prompt },
    ];
  }

  async ask(): Promise<Reply> {
    const message = await this.message();
    // The SDK's types lack the fields that other providers add.
    this.history.push(this.keep(message) as unknown as ChatCompletionAssistantMessageParam);
    const calls = asArray(message.tool_calls).map((call) => {
      const { id, function: made } = asObject(call);
      const { name, arguments: text } = asObject(made);
      return { id: String(id), name: String(name), args: JSON.parse(String(text)) as unknown };
    });
    return { text: typeof message.content === 'string' ? message.content : '', calls };
  }

  answer(results: Results): Promise<Reply> {
    for (const { call, found } of results) {
      this.history.push({ role: 'tool', tool_call_id: call.id, content: found.result });
    }
    return this.ask();
  }

  private async message(): Promise<Message> {
    const { completions } = this.sdk.chat;
    const request = {
      model: this.call.model,
      messages: this.history,
      ...(this.call.asks && { reasoning_effort: 'medium' as const }),
      tools: [{ type: 'function' as const, function: { ...TOOL, parameters: { ...TOOL.parameters } } }],
    } satisfies ChatCompletionCreateParamsNonStreaming;
    if (this.call.form === 'whole') {
      const completion = await completions.create(request);
      return { ...completion.choices[0]?.message };
    }
    const streamed = { ...request, stream: true as const };
    if (!this.usesHelper) return summed(await completions.create(streamed));
    const completion = await completions.stream(streamed).finalChatCompletion();
    return { ...completion.choices[0]?.message };
  }
}

/** Joins the deltas as the providers' docs do: texts are joined, lists of details grow, and calls are merged by index. */
async function summed(stream: AsyncIterable<ChatCompletionChunk>): Promise<Message> {
  const message: Record<string, unknown> = { role: 'assistant', content: '' };
  const calls: Record<string, unknown>[] = [];
  const details: unknown[] = [];
  for await (const { choices } of stream) {
    const delta = asObject(choices[0]?.delta);
    for (const name of ['content', 'reasoning_content', 'reasoning']) {
      if (typeof delta[name] === 'string') message[name] = `${String(message[name] ?? '')}${delta[name]}`;
    }
    details.push(...asArray(delta.reasoning_details));
    for (const piece of asArray(delta.tool_calls)) addCall(calls, asObject(piece));
  }
  if (details.length > 0) message.reasoning_details = details;
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}

function addCall(calls: Record<string, unknown>[], piece: Message): void {
  const { index, function: made, ...others } = piece;
  const at = Number(index);
  const before = calls[at] ?? {};
  const { name, arguments: text } = asObject(before.function);
  const more = asObject(made);
  calls[at] = {
    ...before,
    ...others,
    function: { name: more.name ?? name, arguments: `${String(text ?? '')}${String(more.arguments ?? '')}` },
  };
}
