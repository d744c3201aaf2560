import { z } from 'zod';
import { anyObject, estimated, otherTyped, routing, unixSeconds } from './common.ts';

const text = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(anyObject).optional(),
});

const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });

const message = z.object({
  type: z.literal('message'),
  id: z.string().optional(),
  status: z.string().optional(),
  role: z.string(),
  content: z.array(z.union([text, refusal, otherTyped])),
});

const functionCall = z.object({
  type: z.literal('function_call'),
  id: z.string().optional(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().describe('A JSON string.'),
  status: z.string().optional(),
});

const reasoning = z.object({
  type: z.literal('reasoning'),
  id: z.string().optional(),
  summary: z.array(anyObject),
  encrypted_content: z.string().nullish().describe('The reasoning state. Send it back with the item.'),
});

const outputItem = z.union([message, functionCall, reasoning, otherTyped]).meta({
  id: 'ResponseOutputItem',
  description: 'A message, function call, reasoning or other item.',
});

const usage = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.int().optional() }).optional(),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int().optional() }).optional(),
    total_tokens: z.int(),
    estimated,
  })
  .meta({ id: 'ResponseUsage' });

const members = {
  id: z.string(),
  object: z.literal('response'),
  created: unixSeconds.optional(),
  created_at: unixSeconds.optional(),
  model: z.string(),
  status: z.string().describe('`completed`, `incomplete`, `in_progress` or `failed`.').optional(),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
  incomplete_details: z.object({ reason: z.string().optional() }).nullish(),
  output: z.array(outputItem),
  previous_response_id: z.string().nullish(),
  metadata: anyObject.nullish(),
};

export const response = z
  .object({ ...members, created: unixSeconds, usage: usage.nullable(), _routing: routing })
  .meta({ id: 'Response' });

const inStream = z
  .object({ ...members, usage: usage.nullish(), _routing: routing.optional().describe('Only in the last event.') })
  .meta({ id: 'ResponseInStream' });

const event = <Types extends readonly [string, ...string[]], Shape extends z.core.$ZodLooseShape>(
  types: Types,
  shape: Shape,
) => z.object({ type: z.enum(types), sequence_number: z.int(), ...shape });

const place = { item_id: z.string(), output_index: z.int() };

export const responseEvent = z
  .discriminatedUnion('type', [
    event(
      [
        'response.created',
        'response.in_progress',
        'response.queued',
        'response.completed',
        'response.incomplete',
        'response.failed',
      ],
      { response: inStream },
    ).meta({ id: 'ResponseLifecycleEvent' }),
    event(['response.output_item.added', 'response.output_item.done'], {
      output_index: z.int(),
      item: outputItem,
    }).meta({ id: 'ResponseOutputItemEvent' }),
    event(['response.content_part.added', 'response.content_part.done'], {
      ...place,
      content_index: z.int(),
      part: otherTyped,
    }).meta({ id: 'ResponseContentPartEvent' }),
    event(['response.output_text.delta'], { ...place, content_index: z.int(), delta: z.string() }).meta({
      id: 'ResponseTextDeltaEvent',
    }),
    event(['response.output_text.done'], { ...place, content_index: z.int(), text: z.string() }).meta({
      id: 'ResponseTextDoneEvent',
    }),
    event(['response.function_call_arguments.delta'], { ...place, delta: z.string() }).meta({
      id: 'ResponseArgumentsDeltaEvent',
    }),
    event(['response.function_call_arguments.done'], { ...place, arguments: z.string() }).meta({
      id: 'ResponseArgumentsDoneEvent',
    }),
    event(['error'], { message: z.string(), code: z.string().nullish(), param: z.string().nullish() }).meta({
      id: 'ResponseErrorEvent',
    }),
  ])
  .or(z.object({ type: z.string(), sequence_number: z.int().optional() }))
  .meta({ id: 'ResponseEvent', description: 'The data of one event. There are further event types.' });

export const inputTokens = z
  .object({
    object: z.literal('response.input_tokens'),
    input_tokens: z.int(),
    estimated: z.boolean().optional().describe('Whether the gateway counted instead of the provider.'),
    _routing: routing,
  })
  .meta({ id: 'ResponseInputTokens' });

export const compaction = z
  .object({
    id: z.string(),
    object: z.literal('response.compaction'),
    created_at: unixSeconds,
    output: z
      .array(otherTyped)
      .describe('The items to continue with. One of type `compaction` has the encrypted summary.'),
    usage,
    _routing: routing,
  })
  .meta({ id: 'ResponseCompaction' });

export const deletedResponse = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.boolean() })
  .meta({ id: 'ResponseDeleted' });

export const inputItems = z
  .object({
    object: z.literal('list'),
    data: z.array(otherTyped),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseInputItems' });
