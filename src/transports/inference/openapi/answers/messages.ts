import { z } from 'zod';
import { anyObject, estimated, otherTyped, routing } from './common.ts';

const text = z.object({ type: z.literal('text'), text: z.string(), citations: z.array(anyObject).nullish() });
const thinking = z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().optional() });
const toolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: anyObject });

const block = z
  .union([text, thinking, toolUse, otherTyped])
  .meta({ id: 'MessageBlock', description: 'A text, thinking, tool call or other block.' });

const usage = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_creation_input_tokens: z.int().nullish(),
    cache_read_input_tokens: z.int().nullish(),
    estimated,
  })
  .meta({ id: 'MessageUsage' });

const members = {
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(block),
  stop_reason: z.string().nullable().describe('`end_turn`, `max_tokens`, `stop_sequence`, `tool_use` …'),
  stop_sequence: z.string().nullable(),
  usage,
};

export const messageAnswer = z.object({ ...members, _routing: routing }).meta({ id: 'MessageAnswer' });

const delta = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text_delta'), text: z.string() }),
    z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
    z.object({ type: z.literal('signature_delta'), signature: z.string() }),
    z.object({ type: z.literal('citations_delta'), citation: anyObject }),
  ])
  .meta({ id: 'MessageDelta' });

export const messageEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('message_start'), message: z.object(members) }),
    z.object({ type: z.literal('content_block_start'), index: z.int(), content_block: block }),
    z.object({ type: z.literal('content_block_delta'), index: z.int(), delta }),
    z.object({ type: z.literal('content_block_stop'), index: z.int() }),
    z.object({
      type: z.literal('message_delta'),
      delta: z.object({ stop_reason: z.string().nullish(), stop_sequence: z.string().nullish() }),
      usage: z.object({ output_tokens: z.int(), estimated }),
    }),
    z.object({ type: z.literal('message_stop'), _routing: routing.optional() }),
    z.object({ type: z.literal('ping') }),
    z.object({ type: z.literal('error'), error: z.object({ type: z.string(), message: z.string() }) }),
  ])
  .meta({ id: 'MessageEvent', description: 'The data of one event.' });

export const messageCount = z
  .object({
    input_tokens: z.int(),
    estimated: z.boolean().optional().describe('Whether the gateway counted instead of the provider.'),
    _routing: routing,
  })
  .meta({ id: 'MessageCount' });
