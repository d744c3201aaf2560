import { asArray, asObject, isObject } from '../../shared/json.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';
import { bodyOf, refusedMember } from '../shared/members.ts';
import { noOtherMembers } from '../shared/search-rules.ts';

const CHECKED = '2026-11-29';
const REFERENCE = { url: 'https://docs.cohere.com/reference/chat', checked: CHECKED };
const STRUCTURED = { url: 'https://docs.cohere.com/v2/docs/structured-outputs', checked: CHECKED };

const MEMBERS = [
  ...['stream', 'model', 'messages', 'tools', 'strict_tools', 'documents', 'citation_options', 'response_format'],
  ...['safety_mode', 'max_tokens', 'stop_sequences', 'temperature', 'seed', 'frequency_penalty', 'presence_penalty'],
  ...['k', 'p', 'logprobs', 'tool_choice', 'thinking', 'priority', 'raw_prompting'],
];

const BEFORE_R7B = { label: 'Command R and older models', models: /^command-r(?:-plus)?(?:-0[348]-2024)?$/ };
const NOT_REASONING = {
  label: 'Models that do not think',
  models: /^(?:command-r|command-a-(?:\d|vision|translate))/,
};
const NOT_SEEING = {
  label: 'Models without image input',
  models: /^(?:command-r|command-a-(?:\d|translate|reasoning))/,
};

const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };

const toolMembers: Rule = {
  id: 'tool-members',
  statement: 'A function must have only a name, a description and parameters; `strict` is refused.',
  source: { url: 'https://github.com/OpenRouterTeam/openrouter-examples/issues/71', checked: CHECKED },
  status: 422,
  refuses(request) {
    const functions = asArray(bodyOf(request).tools).map((tool) => asObject(asObject(tool).function));
    const unknown = functions
      .flatMap((one) => Object.keys(one))
      .find((name) => !['name', 'description', 'parameters'].includes(name));
    return unknown === undefined
      ? null
      : `unknown field: parameter '${unknown}' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/chat`;
  },
  examples: {
    refused: [{ body: { tools: [{ ...TOOL, function: { ...TOOL.function, strict: true } }] } }],
    accepted: [{ body: { tools: [TOOL] } }],
  },
};

const toolChoice: Rule = {
  id: 'tool-choice',
  statement: '`tool_choice` must be `REQUIRED` or `NONE`, and requires tools.',
  source: REFERENCE,
  refuses(request) {
    const { tool_choice: choice, tools } = bodyOf(request);
    if (choice === undefined) return null;
    if (choice !== 'REQUIRED' && choice !== 'NONE') return 'invalid request: tool_choice must be one of REQUIRED, NONE';
    return asArray(tools).length > 0 ? null : 'invalid request: tool_choice requires tools';
  },
  examples: {
    refused: [
      { model: 'command-a-03-2025', body: { tools: [TOOL], tool_choice: 'auto' } },
      { model: 'command-a-03-2025', body: { tool_choice: 'NONE' } },
    ],
    accepted: [{ model: 'command-a-03-2025', body: { tools: [TOOL], tool_choice: 'REQUIRED' } }],
  },
};

const responseFormat: Rule = {
  id: 'response-format',
  statement:
    '`response_format` must have the type `json_object` or `text`, and cannot be combined with `tools` or `documents`.',
  source: STRUCTURED,
  refuses(request) {
    const { response_format: format, tools, documents } = bodyOf(request);
    if (format === undefined) return null;
    const { type } = asObject(format);
    if (type !== 'json_object' && type !== 'text')
      return 'invalid request: response_format.type must be json_object or text';
    if (type === 'text' || asArray(tools).length + asArray(documents).length === 0) return null;
    return 'invalid request: response_format is not supported with tools or documents';
  },
  examples: {
    refused: [
      { body: { response_format: { type: 'json_schema' } } },
      { body: { response_format: { type: 'json_object' }, tools: [TOOL] } },
      { body: { response_format: { type: 'json_object' }, documents: ['A text.'] } },
    ],
    accepted: [{ body: { response_format: { type: 'json_object', schema: { type: 'object', required: ['a'] } } } }],
  },
};

function within(member: string, least: number, most: number): Rule {
  return {
    id: member.replaceAll('_', '-'),
    statement: `\`${member}\` must be from ${least} to ${most}.`,
    source: REFERENCE,
    refuses(request) {
      const value = bodyOf(request)[member];
      if (value === undefined || (typeof value === 'number' && value >= least && value <= most)) return null;
      return `invalid request: ${member} must be between ${least} and ${most} inclusive.`;
    },
    examples: { refused: [{ body: { [member]: most + 1 } }], accepted: [{ body: { [member]: most } }] },
  };
}

const stops: Rule = {
  id: 'stop-sequences',
  statement: '`stop_sequences` must have at most five entries.',
  source: REFERENCE,
  refuses: (request) =>
    asArray(bodyOf(request).stop_sequences).length > 5 ? 'invalid request: at most 5 stop sequences are allowed' : null,
  examples: {
    refused: [{ body: { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }],
    accepted: [{ body: { stop_sequences: ['a'] } }],
  },
};

function messagesOf(request: ReceivedRequest) {
  return asArray(bodyOf(request).messages).map(asObject);
}

const images: Rule = {
  id: 'no-images',
  statement: '`image_url` blocks are refused.',
  family: NOT_SEEING,
  source: { url: 'https://docs.cohere.com/docs/image-inputs', checked: CHECKED },
  refuses: (request) =>
    messagesOf(request).some(({ content }) => asArray(content).some((block) => asObject(block).type === 'image_url'))
      ? `invalid request: model '${request.model}' does not support image inputs`
      : null,
  examples: {
    refused: [
      {
        body: {
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] },
          ],
        },
      },
    ],
  },
};

const blocks: Rule = {
  id: 'content',
  statement:
    'Roles must be `system`, `user`, `assistant` or `tool`, and blocks must be text, images, thinking or documents.',
  source: REFERENCE,
  refuses(request) {
    for (const { role, content } of messagesOf(request)) {
      if (!/^(?:system|user|assistant|tool)$/.test(String(role)))
        return `invalid request: invalid role '${String(role)}'`;
      const wrong = asArray(content).find(
        (block) => !isObject(block) || !/^(?:text|image_url|thinking|document)$/.test(String(block.type)),
      );
      if (wrong !== undefined) return `invalid request: invalid content type '${String(asObject(wrong).type)}'`;
    }
    return null;
  },
  examples: {
    refused: [
      { body: { messages: [{ role: 'developer', content: 'Hi' }] } },
      { body: { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] } },
    ],
  },
};

/** Cohere's own chat format, not chat completions. */
export const cohereChat: StrictUpstream = {
  name: 'cohere-chat',
  label: 'Cohere, chat',
  provider: 'cohere',
  wire: 'cohere-chat',
  models: [
    ...['command-a-03-2025', 'command-a-plus-05-2026', 'command-a-reasoning-08-2025', 'command-a-vision-07-2025'],
    ...['command-r7b-12-2024', 'command-r-plus-08-2024'],
  ],
  rules: [
    noOtherMembers(
      MEMBERS,
      { source: REFERENCE, message: (name) => `unknown field: parameter '${name}' is not a valid field` },
      [{ body: { top_p: 0.5 } }, { body: { max_completion_tokens: 64 } }],
    ),
    refusedMember({
      ...{ id: 'no-tool-choice', member: 'tool_choice', value: 'REQUIRED', family: BEFORE_R7B },
      ...{ statement: '`tool_choice` is refused.', source: REFERENCE },
    }),
    ...[blocks, toolMembers, toolChoice, responseFormat, images, stops],
    refusedMember({
      ...{ id: 'no-thinking', member: 'thinking', value: { type: 'enabled' }, family: NOT_REASONING },
      ...{
        statement: '`thinking` is refused.',
        source: { url: 'https://docs.cohere.com/docs/reasoning', checked: CHECKED },
      },
    }),
    ...[
      within('p', 0.01, 0.99),
      within('k', 0, 500),
      within('frequency_penalty', 0, 1),
      within('presence_penalty', 0, 1),
    ],
  ],
  envelope: (message) => ({ id: '00000000-0000-0000-0000-000000000000', message }),
};
