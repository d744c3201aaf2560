import { asArray, asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { bodyOf, refusedMember, unknownMembers } from '../shared/members.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { strictSchemaProblem } from '../shared/strict-schema.ts';
import { BEFORE_GPT_5, DOCUMENT, issue, NOT_REASONING, recording } from './families.ts';
import { COMPATIBILITY, efforts, RESPONSES_EFFORT, whileReasoning } from './reasoning.ts';
import { customTools } from './tools.ts';

/** The members of CreateResponse, and one that Codex sends in every request. */
const MEMBERS = [
  'client_metadata',
  ...['background', 'context_management', 'conversation', 'include', 'input', 'instructions', 'max_output_tokens'],
  ...['max_tool_calls', 'metadata', 'model', 'moderation', 'parallel_tool_calls', 'previous_response_id', 'prompt'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'reasoning', 'safety_identifier'],
  ...['service_tier', 'store', 'stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools'],
  ...['top_logprobs', 'top_p', 'truncation', 'user'],
];

const USER = { role: 'user', content: 'Hi' };
const called = (call_id: string, more: object = {}) => ({
  ...{ type: 'function_call', call_id, name: 'f', arguments: '{}', ...more },
});
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'x' });

const itemsOf = (request: Parameters<typeof bodyOf>[0]) => asArray(bodyOf(request).input).map(asObject);

const encryptedContent: Rule = {
  id: 'encrypted-content',
  statement: '`reasoning.encrypted_content` in `include` is refused, because the model does not reason.',
  family: NOT_REASONING,
  source: issue('NousResearch/hermes-agent/pull/24234'),
  refuses: (request) =>
    asArray(bodyOf(request).include).includes('reasoning.encrypted_content')
      ? 'Encrypted content is not supported with this model.'
      : null,
  examples: {
    refused: [
      { body: { include: ['reasoning.encrypted_content'] } },
      { model: 'gpt-5.1-chat-latest', body: { include: ['reasoning.encrypted_content'] } },
    ],
    accepted: [{ model: 'gpt-5', body: { include: ['reasoning.encrypted_content'] } }],
  },
};

/** The prefixes of item ids. */
const PREFIXES: Readonly<Record<string, string>> = { reasoning: 'rs', function_call: 'fc', message: 'msg' };

const itemIds: Rule = {
  id: 'item-ids',
  statement: "An item's id must begin with `rs`, `fc` or `msg`, depending on its type.",
  source: issue('jlcodes99/cockpit-tools/issues/2090'),
  refuses(request) {
    for (const [index, { type = 'message', id }] of itemsOf(request).entries()) {
      const prefix = PREFIXES[String(type)];
      if (typeof id === 'string' && prefix !== undefined && !id.startsWith(prefix)) {
        return `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`;
      }
    }
    return null;
  },
  examples: { refused: [{ body: { input: [USER, called('call_1', { id: 'call_1' }), output('call_1')] } }] },
};

const idLengths: Rule = {
  id: 'string-above-max-length',
  statement: '`id` and `call_id` of an item must have at most 64 characters.',
  source: issue('can1357/oh-my-pi/issues/284'),
  refuses(request) {
    for (const [index, item] of itemsOf(request).entries()) {
      for (const member of ['id', 'call_id']) {
        const id = item[member];
        if (typeof id === 'string' && id.length > 64) {
          return `Invalid 'input[${index}].${member}': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`;
        }
      }
    }
    return null;
  },
  examples: { refused: [{ body: { input: [USER, called('c'.repeat(65)), output('c'.repeat(65))] } }] },
};

const orphanOutputs: Rule = {
  id: 'orphan-outputs',
  statement: 'An output must belong to a call in the input.',
  source: issue('continuedev/continue/issues/10092'),
  refuses(request) {
    // A call of an earlier response is not repeated in the input.
    const { previous_response_id, conversation } = bodyOf(request);
    if (previous_response_id !== undefined || conversation !== undefined) return null;
    const calls = new Set<unknown>();
    for (const { type, call_id } of itemsOf(request)) {
      if (type === 'function_call' || type === 'custom_tool_call') calls.add(call_id);
      const isOutput = type === 'function_call_output' || type === 'custom_tool_call_output';
      if (isOutput && !calls.has(call_id))
        return `No tool call found for function call output with call_id ${call_id}.`;
    }
    return null;
  },
  examples: { refused: [{ body: { input: [USER, output('call_1')] } }] },
};

const unansweredCalls: Rule = {
  id: 'unanswered-calls',
  statement: 'A call must have an output.',
  source: issue('openai/openai-agents-python/issues/673'),
  refuses(request) {
    const outputs = new Set(
      itemsOf(request).flatMap(({ type, call_id }) => (/_output$/.test(String(type)) ? [call_id] : [])),
    );
    const open = itemsOf(request).find(({ type, call_id }) => type === 'function_call' && !outputs.has(call_id));
    return open === undefined ? null : `No tool output found for function call ${open.call_id}.`;
  },
  examples: {
    refused: [{ body: { input: [USER, called('call_1')] } }],
    accepted: [{ body: { input: [USER, called('call_1', { id: 'fc_1' }), output('call_1')] } }],
  },
};

const reasoningItems: Rule = {
  id: 'reasoning-items',
  statement: 'A reasoning item must be followed by another assistant item.',
  source: issue('vercel/ai/issues/7099'),
  refuses(request) {
    const items = itemsOf(request);
    const lonely = items.find(({ type }, index) => {
      if (type !== 'reasoning') return false;
      const next = items.slice(index + 1).find((item) => item.type !== 'reasoning');
      return next === undefined || next.role === 'user' || /_output$/.test(String(next.type));
    });
    return lonely === undefined
      ? null
      : `Item '${lonely.id}' of type 'reasoning' was provided without its required following item.`;
  },
  examples: {
    refused: [{ model: 'gpt-5', body: { input: [USER, { type: 'reasoning', id: 'rs_1', summary: [] }, USER] } }],
  },
};

const summaries: Rule = {
  id: 'summaries',
  statement: 'A reasoning item must have a `summary`, which can be empty.',
  source: issue('newo-ether/Agora/issues/141'),
  refuses(request) {
    const at = itemsOf(request).findIndex(({ type, summary }) => type === 'reasoning' && !Array.isArray(summary));
    return at === -1 ? null : `Missing required parameter: 'input[${at}].summary'.`;
  },
  examples: {
    refused: [
      {
        model: 'gpt-5',
        body: { input: [USER, { type: 'reasoning', id: 'rs_1' }, { role: 'assistant', content: 'x' }] },
      },
    ],
  },
};

const toolNames: Rule = {
  id: 'tool-names',
  statement: "A function's name must have 1 to 128 letters, digits, `_` and `-`.",
  source: DOCUMENT,
  refuses(request) {
    const named = [...asArray(bodyOf(request).tools).map(asObject), ...itemsOf(request)];
    const functions = named.filter(({ type }) => type === 'function' || type === 'function_call');
    const bad = functions.map(({ name }) => String(name)).find((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
    return bad === undefined ? null : `Invalid 'tools.name' '${bad}': expected the pattern '^[a-zA-Z0-9_-]+$'.`;
  },
  examples: { refused: [{ body: { tools: [{ type: 'function', name: 'a.b', parameters: {}, strict: false }] } }] },
};

const strictSchemas: Rule = {
  id: 'invalid-json-schema',
  statement:
    'Objects in a strict schema of a function or response must have `additionalProperties: false` and only required properties.',
  source: recording('openai/responses/170-openai-responses-post-c4a90328.json'),
  refuses(request) {
    const { tools, text } = bodyOf(request);
    for (const tool of asArray(tools).map(asObject)) {
      // Here, `strict` defaults to true.
      const problem = tool.type === 'function' && tool.strict !== false ? strictSchemaProblem(tool.parameters) : null;
      if (problem !== null) return `Invalid schema for function '${tool.name}': ${problem}`;
    }
    const format = asObject(asObject(text).format);
    const problem = format.strict === true ? strictSchemaProblem(format.schema) : null;
    return problem === null ? null : `Invalid schema for response_format '${format.name}': ${problem}`;
  },
  examples: {
    refused: [
      { body: { tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }] } },
      {
        body: {
          text: {
            format: { type: 'json_schema', name: 'r', strict: true, schema: { type: 'object', properties: {} } },
          },
        },
      },
    ],
    accepted: [{ body: { tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }] } }],
  },
};

const summaryWithoutReasoning: Rule = {
  id: 'summary-without-reasoning',
  statement: '`reasoning.summary` is refused, because the model does not reason.',
  family: NOT_REASONING,
  source: issue('roackb2/heddle/pull/227', '2026-11-29'),
  refuses: (request) =>
    (asObject(bodyOf(request).reasoning).summary ?? null) === null
      ? null
      : `Unsupported parameter: 'reasoning.summary' is not supported with the '${request.model}' model.`,
  examples: { refused: [{ body: { reasoning: { summary: 'auto' } } }] },
};

const leastOutput: Rule = {
  id: 'integer-below-min-value',
  statement: '`max_output_tokens` must be at least 16.',
  source: DOCUMENT,
  refuses(request) {
    const { max_output_tokens: most } = bodyOf(request);
    if (typeof most !== 'number' || most >= 16) return null;
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`;
  },
  examples: { refused: [{ body: { max_output_tokens: 1 } }], accepted: [{ body: { max_output_tokens: 16 } }] },
};

const RESPONSES_RULES: readonly Rule[] = [
  unknownMembers(MEMBERS, DOCUMENT),
  encryptedContent,
  ...efforts(RESPONSES_EFFORT),
  ...whileReasoning(RESPONSES_EFFORT, [
    ['temperature', 0],
    ['top_p', 0.5],
    ['top_logprobs', 2, COMPATIBILITY],
  ]),
  {
    ...refusedMember({
      ...{ id: 'verbosity', member: 'text', value: { verbosity: 'low' }, family: BEFORE_GPT_5 },
      statement: '`text.verbosity` must be `medium`.',
      source: issue('google-deepmind/concordia/issues/164'),
      accepts: (value) => ['medium', undefined, null].includes(asObject(value).verbosity as string | undefined),
      accepted: [{ body: { text: { verbosity: 'medium' } } }],
    }),
  },
  leastOutput,
  summaryWithoutReasoning,
  customTools({ type: 'custom', name: 'write' }),
  ...[itemIds, idLengths, summaries, reasoningItems, orphanOutputs, unansweredCalls, toolNames, strictSchemas],
];

const RESPONSES_MODELS = [
  ...['gpt-4o', 'gpt-4.1', 'gpt-5', 'gpt-5-mini', 'gpt-5-chat-latest', 'gpt-5.1', 'gpt-5.1-chat-latest'],
  ...['gpt-5.2', 'gpt-5.4', 'gpt-5.5', 'gpt-5.6-terra', 'gpt-5-pro', 'gpt-5.1-codex', 'o3', 'o4-mini'],
];

export const openaiResponses: StrictUpstream = {
  name: 'openai-responses',
  label: 'OpenAI, Responses',
  provider: 'openai',
  wire: 'openai-responses',
  models: RESPONSES_MODELS,
  rules: RESPONSES_RULES,
  envelope: openaiEnvelope,
};
