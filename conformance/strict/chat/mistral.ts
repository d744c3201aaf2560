import { asArray, asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import {
  ANSWER,
  bodyOf,
  bounds,
  called,
  callsOf,
  checkedOn,
  contentTypes,
  conversation,
  knownMembers,
  knownMessageMembers,
  knownRoles,
  messagesOf,
  oneOf,
  refusedMembers,
  resultsFollowCalls,
  SYSTEM,
  TOOL,
  toolTypes,
  USER,
  wordOrFunction,
} from '../shared/chat-rules.ts';

const DOCUMENT = checkedOn('specs/mistral.openapi.yaml');
const NINE = /^[a-zA-Z0-9]{9}$/;

const closed = { source: DOCUMENT, status: 422 };

const MEMBERS = [
  ...['model', 'temperature', 'top_p', 'max_tokens', 'stream', 'stop', 'random_seed', 'metadata', 'messages', 'n'],
  ...['response_format', 'tools', 'tool_choice', 'presence_penalty', 'frequency_penalty', 'prediction', 'prompt_mode'],
  ...['parallel_tool_calls', 'reasoning_effort', 'guardrails', 'prompt_cache_key', 'safe_prompt'],
];

const toolCallIds: Rule = {
  id: 'tool-call-ids',
  statement: 'The id of a tool call and its result must have nine letters and digits.',
  source: checkedOn('https://github.com/nearai/ironclaw/issues/1241'),
  refuses(request) {
    const ids = messagesOf(request).flatMap((message) => [
      message.tool_call_id,
      ...callsOf(message).map(({ id }) => id),
    ]);
    const found = ids.find((id) => id !== undefined && !NINE.test(String(id)));
    return found === undefined ? null : `Tool call id was ${found} but must be a-z, A-Z, 0-9, with a length of 9.`;
  },
  examples: {
    refused: [conversation(USER, ...called('call_0001'))],
    accepted: [conversation(USER, ...called('abcDEF123'))],
  },
};

const order: Rule = {
  id: 'order-of-roles',
  statement: 'A system message must follow only system messages, and a user message must not follow a tool result.',
  source: checkedOn('https://github.com/onyx-dot-app/onyx/issues/6458'),
  refuses(request) {
    const messages = messagesOf(request);
    for (const [index, { role }] of messages.entries()) {
      const before = messages[index - 1]?.role;
      const isLateSystem = role === 'system' && before !== undefined && before !== 'system';
      if (isLateSystem || (role === 'user' && before === 'tool'))
        return `Unexpected role '${role}' after role '${before}'`;
    }
    return null;
  },
  examples: {
    refused: [conversation(USER, ANSWER, SYSTEM, USER), conversation(USER, ...called('abcDEF123'), USER)],
    accepted: [conversation(SYSTEM, SYSTEM, USER), conversation(USER, ...called('abcDEF123'), ANSWER, USER)],
  },
};

const lastRole: Rule = {
  id: 'last-role',
  statement: 'A final assistant message must have `prefix: true`.',
  source: checkedOn('https://github.com/huggingface/smolagents/issues/757'),
  refuses(request) {
    const last = messagesOf(request).at(-1);
    if (last?.role !== 'assistant' || last.prefix === true) return null;
    return 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant';
  },
  examples: {
    refused: [conversation(USER, ANSWER)],
    accepted: [conversation(USER, { ...ANSWER, prefix: true })],
  },
};

const audioAsText: Rule = {
  id: 'audio-chunks',
  statement: '`input_audio` must be a string with the bytes or a URL.',
  ...closed,
  refuses(request) {
    const parts = messagesOf(request).flatMap(({ content }) => asArray(content).map(asObject));
    const isWrong = parts.some(({ type, input_audio }) => type === 'input_audio' && typeof input_audio !== 'string');
    return isWrong ? 'body.messages.0.user.content.0.input_audio: Input should be a valid string' : null;
  },
  examples: {
    refused: [conversation({ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==' } }] })],
    accepted: [conversation({ role: 'user', content: [{ type: 'input_audio', input_audio: 'AA==' }] })],
  },
};

const parameters: Rule = {
  id: 'function-parameters',
  statement: 'A function must have `parameters`.',
  ...closed,
  refuses(request) {
    const tools = asArray(bodyOf(request).tools).map((tool) => asObject(asObject(tool).function));
    const index = tools.findIndex((tool) => tool.parameters === undefined);
    return index < 0 ? null : `body.tools.${index}.function.parameters: Field required`;
  },
  examples: {
    refused: [{ body: { tools: [{ type: 'function', function: { name: 'look' } }] } }],
    accepted: [{ body: { tools: [TOOL] } }],
  },
};

export const mistral: StrictUpstream = {
  name: 'mistral',
  label: 'Mistral, chat completions',
  provider: 'mistral',
  wire: 'openai-chat',
  models: ['mistral-small-latest', 'mistral-large-latest', 'codestral-latest', 'magistral-medium-latest'],
  rules: [
    knownMembers(closed, MEMBERS, (member) => `body.${member}: Extra inputs are not permitted`),
    knownRoles(
      closed,
      ['system', 'user', 'assistant', 'tool'],
      (role) => `Input tag '${role}' found using 'role' does not match`,
    ),
    knownMessageMembers(
      closed,
      {
        system: ['role', 'content'],
        user: ['role', 'content'],
        assistant: ['role', 'content', 'tool_calls', 'prefix'],
        tool: ['role', 'content', 'tool_call_id', 'name'],
      },
      (index, member) => `body.messages.${index}.${member}: Extra inputs are not permitted`,
    ),
    contentTypes(
      closed,
      ['text', 'image_url', 'document_url', 'reference', 'file', 'thinking', 'input_audio'],
      (type) => `Input tag '${type}' found using 'type' does not match any of the expected tags`,
    ),
    toolTypes(
      closed,
      ['function'],
      (type, index) => `body.tools.${index}.type: Input should be 'function', not '${type}'`,
    ),
    wordOrFunction(closed, ['auto', 'none', 'any', 'required'], 'body.tool_choice: Input should be a valid ToolChoice'),
    bounds(
      closed,
      'temperature',
      { least: 0, most: 1.5 },
      (value) => `body.temperature: Input should be less than or equal to 1.5, not ${value}`,
    ),
    bounds(
      closed,
      'top_p',
      { least: 0, most: 1 },
      (value) => `body.top_p: Input should be less than or equal to 1, not ${value}`,
    ),
    audioAsText,
    parameters,
    toolCallIds,
    order,
    resultsFollowCalls(
      { source: checkedOn('https://github.com/mistralai/client-ts/issues/106') },
      'Not the same number of function calls and responses',
      called('abcDEF123'),
    ),
    lastRole,
    oneOf(
      { ...closed, family: { label: 'Small and Medium', models: /^mistral-(?:small|medium)/ } },
      'reasoning_effort',
      ['none', 'high'],
      (value) => `body.reasoning_effort: Input should be 'high' or 'none', not ${value}`,
    ),
    refusedMembers(
      'reasoning-effort-of-others',
      {
        ...closed,
        family: {
          label: 'Models that always think, or never',
          models: /^(?:mistral-large-latest|magistral|codestral)/,
        },
      },
      { reasoning_effort: 'high' },
      () => 'reasoning_effort is not supported for this model',
    ),
  ],
  envelope: (message) => ({ object: 'error', message, type: 'invalid_request_error', param: null, code: '3230' }),
};
