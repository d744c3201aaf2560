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
  USER,
  unforcedWhileThinking,
} from '../shared/chat-rules.ts';

const SAMPLING = checkedOn('https://github.com/XCNXNXNX/dsh-portable-tavern/issues/1');
const SWITCHED = { label: 'Kimi K2.5 and K2.6', models: /^kimi-k2\.[56]/ };
const GRADED = { label: 'Kimi K3 and later', models: /^kimi-k3/ };

const fixed = (member: string, value: number): Rule => ({
  id: member.replaceAll('_', '-'),
  statement: `\`${member}\` is ${value}, or left out.`,
  source: SAMPLING,
  refuses: (request) => {
    const said = bodyOf(request)[member] ?? value;
    return said === value ? null : `invalid ${member}: only ${value} is allowed for this model`;
  },
  examples: { refused: [{ body: { [member]: 0.3 } }], accepted: [{ body: { [member]: value } }] },
});

const bothSwitches: Rule = {
  id: 'thinking-and-effort',
  statement: '`thinking` and `reasoning_effort` exclude each other.',
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

const alwaysThinking: Rule = {
  id: 'always-thinking',
  statement: 'Thinking cannot be switched off.',
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
  models: ['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.6'],
  rules: [
    knownRoles(
      { source: checkedOn('https://platform.kimi.ai/docs/api/chat') },
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
      { source: checkedOn('https://github.com/simstudioai/sim/pull/5716'), family: SWITCHED },
      "tool_choice 'required' is incompatible with thinking enabled",
      { thinking: { type: 'disabled' } },
    ),
    alwaysThinking,
    oneOf(
      { source: checkedOn('https://platform.kimi.ai/docs/guide/use-reasoning-effort'), family: GRADED },
      'reasoning_effort',
      ['low', 'high', 'max'],
      (value) => `invalid reasoning_effort: ${value}`,
    ),
    imagesAsBytes(
      { source: checkedOn('https://platform.kimi.ai/docs/guide/use-kimi-vision-model') },
      'Invalid request: unsupported image url',
    ),
  ],
  envelope: (message) => ({ error: { message, type: 'invalid_request_error' } }),
};
