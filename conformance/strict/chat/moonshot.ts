import type { Rule, StrictUpstream } from '../rule.ts';
import {
  bodyOf,
  called,
  callsOf,
  checkedOn,
  conversation,
  imagesAsBytes,
  isThinkingOff,
  knownRoles,
  oneOf,
  requiredReasoning,
  TOOL,
  USER,
  unforcedWhileThinking,
} from '../shared/chat-rules.ts';

const SAMPLING = checkedOn('https://github.com/XCNXNXNX/dsh-portable-tavern/issues/1');
const SWITCHED = { label: 'Kimi K2.5 and K2.6', models: /^kimi-k2\.[56]/ };
const BEFORE_K3 = { label: 'Kimi K2', models: /^kimi-k2\./ };
const GRADED = { label: 'Kimi K3 and later', models: /^kimi-k3/ };

const fixed = (member: string, value: number): Rule => ({
  id: member.replaceAll('_', '-'),
  statement: `\`${member}\` must be ${value}, or omitted.`,
  source: SAMPLING,
  refuses: (request) => {
    const said = bodyOf(request)[member] ?? value;
    return said === value ? null : `invalid ${member}: only ${value} is allowed for this model`;
  },
  examples: { refused: [{ body: { [member]: 0.3 } }], accepted: [{ body: { [member]: value } }] },
});

const bothSwitches: Rule = {
  id: 'thinking-and-effort',
  statement: '`thinking` and `reasoning_effort` are mutually exclusive.',
  family: SWITCHED,
  source: checkedOn('https://github.com/HKUDS/nanobot/issues/3939'),
  refuses(request) {
    const { thinking, reasoning_effort: effort } = bodyOf(request);
    return thinking !== undefined && effort !== undefined
      ? "cannot specify both 'thinking' and 'reasoning_effort'"
      : null;
  },
  examples: {
    refused: [{ body: { thinking: { type: 'enabled' }, reasoning_effort: 'high' } }],
    accepted: [{ body: { thinking: { type: 'disabled' } } }],
  },
};

const NAMED = { type: 'function', function: { name: 'look' } };

const namedWhileThinking: Rule = {
  id: 'named-tool-choice',
  statement: 'While the model thinks, `tool_choice` must not name a function.',
  source: checkedOn('https://platform.kimi.ai/docs/guide/use-tool-choice', '2026-11-29'),
  refuses(request) {
    const { tool_choice: choice, ...body } = bodyOf(request);
    return typeof choice === 'object' && choice !== null && !isThinkingOff(body)
      ? "tool_choice 'specified' is incompatible with thinking enabled"
      : null;
  },
  examples: {
    refused: [{ model: 'kimi-k3', body: { tools: [TOOL], tool_choice: NAMED } }],
    accepted: [{ model: 'kimi-k3', body: { tools: [TOOL], tool_choice: 'required' } }],
  },
};

const alwaysThinking: Rule = {
  id: 'always-thinking',
  statement: 'Thinking cannot be disabled.',
  family: { label: 'Kimi K2.7 Code', models: /^kimi-k2\.7/ },
  source: checkedOn('https://github.com/theopenco/llmgateway/pull/3065'),
  refuses: (request) => (isThinkingOff(bodyOf(request)) ? 'invalid thinking: this model always thinks' : null),
  examples: {
    refused: [{ body: { thinking: { type: 'disabled' } } }],
    accepted: [{ body: { thinking: { type: 'enabled' } } }],
  },
};

export const moonshot: StrictUpstream = {
  name: 'moonshot',
  label: 'Moonshot (Kimi), chat completions',
  provider: 'moonshot',
  wire: 'openai-chat',
  models: ['kimi-k3', 'kimi-k2.6', 'kimi-k2.7-code'],
  rules: [
    knownRoles(
      {
        // A copy of the published document.
        source: checkedOn(
          'https://github.com/api-evangelist/kimi-moonshot/blob/main/openapi/kimi-moonshot-chat-api-openapi.yml',
          '2026-11-29',
        ),
      },
      ['system', 'user', 'assistant', 'tool'],
      (role) => `Invalid request: unsupported role ${role}`,
    ),
    fixed('temperature', 1),
    fixed('top_p', 0.95),
    fixed('presence_penalty', 0),
    fixed('frequency_penalty', 0),
    fixed('n', 1),
    bothSwitches,
    requiredReasoning(
      { source: checkedOn('https://github.com/continuedev/continue/issues/11600') },
      'reasoning_content',
      (message, body) => callsOf(message).length > 0 && !isThinkingOff(body),
      (index) =>
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
      {
        refused: [conversation(USER, ...called())],
        accepted: [conversation(USER, ...called('call_0001', { reasoning_content: '' }))],
      },
    ),
    unforcedWhileThinking(
      { source: checkedOn('https://github.com/simstudioai/sim/pull/5716'), family: BEFORE_K3 },
      "tool_choice 'required' is incompatible with thinking enabled",
      { thinking: { type: 'disabled' } },
    ),
    namedWhileThinking,
    alwaysThinking,
    oneOf(
      { source: checkedOn('https://platform.kimi.ai/docs/guide/use-reasoning-effort', '2026-11-29'), family: GRADED },
      'reasoning_effort',
      ['low', 'high', 'max'],
      (value) => `invalid reasoning_effort: ${value}`,
    ),
    imagesAsBytes(
      { source: checkedOn('https://platform.kimi.ai/docs/guide/use-kimi-vision-model', '2026-11-29') },
      'Invalid request: unsupported image url',
    ),
  ],
  envelope: (message) => ({ error: { message, type: 'invalid_request_error' } }),
};
