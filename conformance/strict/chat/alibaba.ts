import type { Rule, StrictUpstream } from '../rule.ts';
import {
  bodyOf,
  checkedOn,
  conversation,
  isForced,
  knownRoles,
  messagesOf,
  resultsFollowCalls,
  SYSTEM,
  systemFirst,
  TOOL,
} from '../shared/chat-rules.ts';

const parameter = (what: string) => `<400> InternalError.Algo.InvalidParameter: ${what}`;

const userMessage: Rule = {
  id: 'user-message',
  statement: 'There must be a user message.',
  source: checkedOn('https://github.com/langfuse/langfuse/issues/10513'),
  refuses: (request) =>
    messagesOf(request).some(({ role }) => role === 'user')
      ? null
      : parameter('The input messages do not contain elements with the role of user'),
  examples: { refused: [conversation(SYSTEM)] },
};

const forced: Rule = {
  id: 'forced-tool-choice',
  statement: 'While the model thinks, `tool_choice` must not force a call.',
  source: checkedOn('https://github.com/cloudwego/eino/issues/994'),
  refuses(request) {
    const { tool_choice: choice, enable_thinking: thinking } = bodyOf(request);
    return choice !== undefined && isForced(choice) && thinking !== false
      ? parameter('The tool_choice parameter does not support being set to required or object in thinking mode')
      : null;
  },
  examples: {
    refused: [{ body: { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'look' } } } }],
    accepted: [
      {
        body: { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'look' } }, enable_thinking: false },
      },
    ],
  },
};

export const alibaba: StrictUpstream = {
  name: 'alibaba',
  label: 'Alibaba Model Studio (Qwen), chat completions',
  provider: 'alibaba',
  wire: 'openai-chat',
  models: ['qwen3.8-max', 'qwen3.5-plus', 'qwen-plus'],
  rules: [
    knownRoles(
      { source: checkedOn('https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions') },
      ['system', 'user', 'assistant', 'tool'],
      (role) =>
        parameter(`${role} is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.0.role'`),
    ),
    userMessage,
    systemFirst(
      { source: checkedOn('https://github.com/FlashML-org/FreeToken/pull/487') },
      parameter('System message must be at the beginning.'),
    ),
    resultsFollowCalls(
      { source: checkedOn('https://github.com/philschmid/mcp-openai-gemini-llama-example/pull/5') },
      parameter('messages with role "tool" must be a response to a preceeding message with "tool_calls".'),
    ),
    forced,
  ],
  envelope: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_parameter_error' },
  }),
};
