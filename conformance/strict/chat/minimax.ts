import type { StrictUpstream } from '../rule.ts';
import { bounds, checkedOn, contentTypes, knownRoles, oneAnswer, systemFirst } from '../shared/chat-rules.ts';

const PAGE = checkedOn('https://platform.minimax.io/docs/api-reference/text-openai-api', '2026-11-29');

export const minimax: StrictUpstream = {
  name: 'minimax',
  label: 'MiniMax, chat completions',
  provider: 'minimax',
  wire: 'openai-chat',
  models: ['MiniMax-M2.7', 'MiniMax-M3'],
  rules: [
    knownRoles(
      { source: checkedOn('https://github.com/openclaw/openclaw/issues/3022') },
      ['system', 'user', 'assistant', 'tool'],
      (role) => `invalid params, invalid role: ${role} (2013)`,
    ),
    systemFirst(
      { source: checkedOn('https://github.com/openclaw/openclaw/issues/19386') },
      'invalid params, invalid chat setting (2013)',
    ),
    oneAnswer({ source: PAGE }, 'invalid params, n must be 1 (2013)'),
    bounds(
      { source: PAGE },
      'temperature',
      { least: 0, most: 1, isOpen: true },
      (value) => `invalid params, temperature ${value} is out of range (2013)`,
    ),
    contentTypes(
      { source: PAGE, family: { label: 'M2', models: /^MiniMax-M2/ } },
      ['text'],
      (type) => `invalid params, unsupported content type ${type} (2013)`,
    ),
  ],
  envelope: (message) => ({ type: 'error', error: { type: 'bad_request_error', message, http_code: '400' } }),
};
