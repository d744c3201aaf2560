import type { StrictUpstream } from '../rule.ts';
import { checkedOn, contentTypes, oneOf, refusedMembers } from '../shared/chat-rules.ts';

const REASONING = checkedOn('https://docs.x.ai/docs/guides/reasoning', '2026-11-29');
const EFFORTS = checkedOn('https://docs.x.ai/developers/model-capabilities/text/reasoning', '2026-11-29');

const thinking = { label: 'Models that think', models: /^grok-(?:3-mini|4(?!.*non-reasoning)|code|build)/ };
const unsupported = (member: string) => `Model does not support parameter ${camelCase(member)}.`;

function camelCase(member: string): string {
  return member.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export const xai: StrictUpstream = {
  name: 'xai',
  label: 'xAI, chat completions',
  provider: 'xai',
  wire: 'openai-chat',
  models: [
    ...['grok-4.7', 'grok-4.6', 'grok-4.5', 'grok-4.3', 'grok-4.20-0309-reasoning', 'grok-4.20-0309-non-reasoning'],
    ...['grok-build-0.1', 'grok-4-1-fast-reasoning', 'grok-3-mini'],
  ],
  rules: [
    refusedMembers(
      'penalties',
      { source: checkedOn('https://github.com/miaoxworld/NativeTavern/issues/83') },
      { presence_penalty: 0, frequency_penalty: 0 },
      unsupported,
    ),
    refusedMembers('stop', { source: REASONING, family: thinking }, { stop: ['END'] }, unsupported),
    refusedMembers(
      'effort-refused',
      {
        source: REASONING,
        family: { label: 'Grok 4, 4.1, 4.20 and Build', models: /^grok-(?:4-|4$|4\.20|code|build)/ },
      },
      { reasoning_effort: 'low' },
      unsupported,
    ),
    oneOf(
      {
        source: EFFORTS,
        family: { label: 'Grok 4.3', models: /^grok-4\.3/ },
      },
      'reasoning_effort',
      ['none', 'low', 'medium', 'high'],
      (value) => `Invalid reasoning effort: ${value}`,
    ),
    {
      ...oneOf(
        {
          source: checkedOn('https://github.com/anomalyco/opencode/issues/39448'),
          family: { label: 'Grok 4.5 and later', models: /^grok-4\.[5-9]/ },
        },
        'reasoning_effort',
        ['low', 'medium', 'high'],
        (value) => `Invalid reasoning effort: ${value}`,
      ),
      id: 'reasoning-effort-of-4-5',
    },
    {
      ...oneOf(
        { source: REASONING, family: { label: 'Grok 3 mini', models: /^grok-3-mini/ } },
        'reasoning_effort',
        ['low', 'high'],
        (value) => `Invalid reasoning effort: ${value}`,
      ),
      id: 'reasoning-effort-of-3-mini',
    },
    contentTypes(
      { source: checkedOn('https://docs.x.ai/docs/api-reference') },
      ['text', 'image_url'],
      (type) => `Unsupported content part: ${type}`,
    ),
  ],
  envelope: (message) => ({ code: 'Client specified an invalid argument', error: message }),
};
