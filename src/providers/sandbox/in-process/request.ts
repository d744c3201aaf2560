import { z } from 'zod';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const called = z.looseObject({ name: z.string() }).optional();

const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string().nullish(), function: called, custom: called })).nullish(),
});

const tool = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function'),
    function: z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() }),
  }),
  z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) }),
]);

const allowedTools = z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(tool) });

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  tool,
  z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.unknown().optional() }) }),
]);

/** The part of a chat completion request that the sandbox acts on; everything else is accepted and ignored. */
export const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];

/** A function (with a schema for its arguments) or a custom tool (with free text as its input). */
export interface Tool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly parameters: unknown;
}

export function toolOf(entry: z.infer<typeof tool>): Tool {
  return entry.type === 'function'
    ? { kind: entry.type, name: entry.function.name, parameters: entry.function.parameters }
    : { kind: entry.type, name: entry.custom.name, parameters: undefined };
}

export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((entry) => entry.text ?? '').join('');
}
