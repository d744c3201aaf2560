import type { DocumentName, Variant } from './document.ts';

/**
 * A place where a provider's recorded traffic violates the provider's own document.
 *
 * `at` is a path below each of `schemas` (below `components.schemas`). `remove` takes values out of the array, or members out of the object, at
 * the path; `add` puts values into the array. A relaxation applies to requests, to responses relayed from the service, or to responses that the
 * gateway translated: what only old versions of a service do does not excuse a new response.
 */
export interface Relaxation {
  readonly document: DocumentName;
  readonly schemas: readonly string[];
  readonly at: string;
  readonly remove?: readonly string[];
  readonly add?: readonly unknown[];
  readonly holdsFor: readonly Variant[];
  readonly reason: string;
}

const ANSWERS: readonly Variant[] = ['relayed', 'translated'];

const OPENAI_CHAT: readonly Relaxation[] = [
  {
    document: 'openai',
    schemas: ['CreateChatCompletionResponse'],
    at: 'properties/choices/items/required',
    remove: ['logprobs'],
    holdsFor: ANSWERS,
    reason: 'responses of reasoning models have no logprobs (openai/chat/019)',
  },
  {
    document: 'openai',
    schemas: ['ChatCompletionResponseMessage'],
    at: 'required',
    remove: ['refusal'],
    holdsFor: ['relayed'],
    reason: 'responses from before structured outputs have no refusal (openai/chat/126)',
  },
  {
    document: 'openai',
    schemas: ['StopConfiguration'],
    at: 'oneOf/1',
    remove: ['minItems'],
    holdsFor: ['request'],
    reason: 'an empty list of stop sequences is accepted (openai/chat/184)',
  },
];

const OPENAI_RESPONSES_REQUESTS: readonly Relaxation[] = [
  {
    document: 'openai',
    schemas: ['FunctionTool'],
    at: 'required',
    remove: ['strict'],
    holdsFor: ['request'],
    reason: 'the service adds `strict` to a tool without it (openai/responses/001)',
  },
  {
    document: 'openai',
    schemas: ['InputContent'],
    at: 'oneOf',
    add: [
      {
        type: 'object',
        required: ['type', 'text'],
        properties: literalType('output_text', { text: { type: 'string' } }),
      },
      {
        type: 'object',
        required: ['type', 'refusal'],
        properties: literalType('refusal', { refusal: { type: 'string' } }),
      },
    ],
    holdsFor: ['request'],
    reason: 'an earlier response is accepted as an assistant message without id and status (openai/responses/021)',
  },
  {
    document: 'openai',
    schemas: ['MCPApprovalResponse'],
    at: 'required',
    remove: ['request_id'],
    holdsFor: ['request'],
    reason: 'the document requires a member that it does not describe',
  },
];

const OPENAI_RESPONSES_ANSWERS: readonly Relaxation[] = [
  {
    document: 'openai',
    schemas: [
      'ResponseCompletedEvent',
      'ResponseContentPartAddedEvent',
      'ResponseContentPartDoneEvent',
      'ResponseCreatedEvent',
      'ResponseCustomToolCallInputDeltaEvent',
      'ResponseFailedEvent',
      'ResponseFunctionCallArgumentsDeltaEvent',
      'ResponseFunctionCallArgumentsDoneEvent',
      'ResponseInProgressEvent',
      'ResponseIncompleteEvent',
      'ResponseOutputItemAddedEvent',
      'ResponseOutputItemDoneEvent',
      'ResponseRefusalDeltaEvent',
      'ResponseRefusalDoneEvent',
      'ResponseTextDeltaEvent',
      'ResponseTextDoneEvent',
    ],
    at: 'required',
    remove: ['sequence_number'],
    holdsFor: ['relayed'],
    reason: 'the first streams of the format, of March 2025, had no sequence numbers (openai/responses/094)',
  },
  {
    document: 'openai',
    schemas: ['OutputTextContent', 'ResponseTextDeltaEvent', 'ResponseTextDoneEvent'],
    at: 'required',
    remove: ['logprobs'],
    holdsFor: ['relayed'],
    reason: 'the first responses of the format had no logprobs (openai/responses/093)',
  },
  {
    document: 'openai',
    schemas: ['ResponseFunctionCallArgumentsDoneEvent'],
    at: 'required',
    remove: ['name'],
    holdsFor: ANSWERS,
    reason: 'only the item has the name, to this day (openai/responses/011); Open Responses does not have it here',
  },
  {
    document: 'openai',
    schemas: ['ResponseUsage'],
    at: 'properties/input_tokens_details/required',
    remove: ['cache_write_tokens'],
    holdsFor: ANSWERS,
    reason: 'most responses do not count cache writes (openai/responses/001); Open Responses does not have it',
  },
  {
    document: 'openai',
    schemas: ['ResponseErrorCode'],
    at: 'enum',
    add: ['insufficient_quota'],
    holdsFor: ['relayed'],
    reason: 'a response can also fail this way (openai/responses/189)',
  },
  {
    document: 'openai',
    schemas: ['ResponseStreamEvent'],
    at: 'anyOf',
    add: [
      {
        type: 'object',
        required: ['type', 'sequence_number', 'error'],
        properties: literalType('error', {
          sequence_number: { type: 'integer' },
          error: { $ref: '#/components/schemas/Error' },
        }),
      },
    ],
    holdsFor: ANSWERS,
    reason: 'the error event has its members under error (openai/responses/189), as in Open Responses',
  },
  {
    document: 'openai',
    schemas: ['ResponseStreamEvent'],
    at: 'anyOf',
    add: ['delta', 'done'].map((step) => ({
      type: 'object',
      required: ['type', 'sequence_number', 'output_index', 'item_id'],
      properties: literalType(`response.apply_patch_call_operation_diff.${step}`, {}),
    })),
    holdsFor: ['relayed'],
    reason: 'the document does not have the events of the apply_patch tool (openai/responses/181)',
  },
  {
    document: 'openai',
    schemas: ['WebSearchToolCall'],
    at: 'required',
    remove: ['action'],
    holdsFor: ['relayed'],
    reason: 'a search that has just started has no action yet (openai/responses/207)',
  },
  {
    document: 'openai',
    schemas: ['ImageGenToolCall'],
    at: 'required',
    remove: ['result'],
    holdsFor: ['relayed'],
    reason: 'an image that has just been started has no result yet (openai/responses/194)',
  },
];

const OPEN_RESPONSES: readonly Relaxation[] = [
  {
    document: 'openresponses',
    schemas: ['JsonSchemaResponseFormat'],
    at: 'properties/schema/anyOf',
    add: [{ type: 'object' }],
    holdsFor: ANSWERS,
    reason: 'the document only allows null as the schema (openai/responses/012)',
  },
  {
    document: 'openresponses',
    schemas: ['ReasoningEffortEnum'],
    at: 'enum',
    add: ['minimal', 'max'],
    holdsFor: ANSWERS,
    reason:
      "the document describes minimal without listing it, and OpenAI's models have max (openai/responses/005, 132)",
  },
  {
    document: 'openresponses',
    schemas: ['ResponseResource'],
    at: 'properties/instructions/anyOf',
    add: [{ type: 'array' }],
    holdsFor: ANSWERS,
    reason: 'instructions from a stored prompt are a list of items (openai/responses/161)',
  },
];

const ANTHROPIC: readonly Relaxation[] = [
  {
    document: 'anthropic',
    schemas: ['BetaUsage', 'BetaMessageDeltaUsage'],
    at: 'required',
    remove: ['iterations'],
    holdsFor: ANSWERS,
    reason: 'only some models list the iterations (anthropic/messages/147)',
  },
  {
    document: 'anthropic',
    schemas: ['ServerToolUsage', 'BetaServerToolUsage'],
    at: 'required',
    remove: ['web_fetch_requests'],
    holdsFor: ['relayed'],
    reason: 'responses from before web fetch count searches only (anthropic/messages/147)',
  },
  {
    document: 'anthropic',
    schemas: ['ContentBlock', 'BetaContentBlock'],
    at: 'oneOf',
    add: [fallbackBlock()],
    holdsFor: ['relayed'],
    reason: 'the document lacks the block that names the fallback model (anthropic/messages/197)',
  },
  {
    document: 'anthropic',
    schemas: ['ContentBlockStartEvent', 'BetaContentBlockStartEvent'],
    at: 'properties/content_block/oneOf',
    add: [fallbackBlock()],
    holdsFor: ['relayed'],
    reason: 'the document lacks the block that names the fallback model (anthropic/messages/196)',
  },
];

const GEMINI: readonly Relaxation[] = [
  {
    document: 'gemini',
    schemas: ['GenerateContentRequest'],
    at: 'required',
    remove: ['model'],
    holdsFor: ['request'],
    reason: 'the model is in the path; clients leave it out of the body (gemini/generateContent/001)',
  },
  {
    document: 'gemini',
    schemas: ['FunctionCall'],
    at: 'required',
    remove: ['name'],
    holdsFor: ['relayed'],
    reason: 'a call with streamed arguments has its name in the first piece only (gemini/generateContent/202)',
  },
];

export const RELAXATIONS: readonly Relaxation[] = [
  ...OPENAI_CHAT,
  ...OPENAI_RESPONSES_REQUESTS,
  ...OPENAI_RESPONSES_ANSWERS,
  ...OPEN_RESPONSES,
  ...ANTHROPIC,
  ...GEMINI,
];

function literalType(type: string, others: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: { type: 'string', enum: [type] }, ...others };
}

function fallbackBlock(): unknown {
  return { type: 'object', required: ['type', 'from', 'to'], properties: literalType('fallback', {}) };
}
