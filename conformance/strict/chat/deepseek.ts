import type { StrictUpstream } from '../rule.ts';
import {
  ANSWER,
  called,
  checkedOn,
  contentTypes,
  conversation,
  isThinkingOff,
  knownRoles,
  oneAnswer,
  requiredReasoning,
  responseFormats,
  resultsFollowCalls,
  toolTypes,
  USER,
  unforcedWhileThinking,
} from '../shared/chat-rules.ts';

const ANSWER_FORMAT = checkedOn('https://github.com/llm-exe/llm-exe/issues/662', '2026-11-29');
const deserialize = (what: string) => `Failed to deserialize the JSON body into the target type: ${what}`;

export const deepseek: StrictUpstream = {
  name: 'deepseek',
  label: 'DeepSeek, chat completions',
  provider: 'deepseek',
  wire: 'openai-chat',
  models: ['deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-flash'],
  rules: [
    knownRoles(
      { source: checkedOn('https://github.com/theopenco/llmgateway/pull/3462') },
      ['system', 'user', 'assistant', 'tool'],
      (role) =>
        deserialize(
          `messages[0].role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
        ),
    ),
    contentTypes(
      {
        source: checkedOn('recordings/deepseek/chat/039-streaming-image-part-reaches-the-wire.json'),
        family: { label: 'Pro models', models: /pro/ },
      },
      ['text'],
      (type) => deserialize(`messages[0]: unknown variant \`${type}\`, expected \`text\``),
    ),
    {
      ...contentTypes(
        {
          source: checkedOn('recordings/deepseek/chat/035-blocking-video-part-reaches-the-wire.json'),
          family: { label: 'Flash models', models: /flash/ },
        },
        ['text', 'image_url'],
        (type) => deserialize(`messages[0]: unknown variant \`${type}\`, expected \`text\``),
      ),
      id: 'content-types-of-flash',
    },
    responseFormats({ source: ANSWER_FORMAT }, ['text', 'json_object'], 'This response_format type is unavailable now'),
    oneAnswer(
      { source: checkedOn('https://github.com/vibrantlabsai/ragas/issues/1072', '2026-11-29') },
      'Invalid n value (currently only n = 1 is supported)',
    ),
    toolTypes(
      { source: checkedOn('https://github.com/danny-avila/LibreChat/issues/12804', '2026-11-29') },
      ['function'],
      (type, index) => deserialize(`tools[${index}].type: unknown variant \`${type}\`, expected \`function\``),
    ),
    resultsFollowCalls(
      { source: checkedOn('https://github.com/BigPizzaV3/CodexPlusPlus/issues/329') },
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
      called('call_0001', { reasoning_content: '' }),
    ),
    requiredReasoning(
      { source: checkedOn('https://github.com/NousResearch/hermes-agent/pull/15228') },
      'reasoning_content',
      (_, body) => !isThinkingOff(body),
      () => 'The `reasoning_content` in the thinking mode must be passed back to the API.',
      {
        refused: [conversation(USER, ANSWER, USER), conversation(USER, ...called())],
        accepted: [
          conversation(USER, { ...ANSWER, reasoning_content: '' }, USER),
          { body: { messages: [USER, ANSWER, USER], thinking: { type: 'disabled' } } },
        ],
      },
    ),
    unforcedWhileThinking(
      { source: checkedOn('recordings/deepseek/chat/038-forced-tool-choice-under-thinking-is-rejected-upstream.json') },
      'Thinking mode does not support this tool_choice',
      { thinking: { type: 'disabled' } },
    ),
  ],
  envelope: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
  }),
};
