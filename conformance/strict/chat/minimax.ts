import type { Rule, StrictUpstream } from '../rule.ts';
import { bodyOf, bounds, checkedOn, contentTypes, knownRoles, systemFirst } from '../shared/chat-rules.ts';

const PAGE = checkedOn('https://platform.minimax.io/docs/api-reference/text-openai-api', '2026-11-29');

const oneAnswer: Rule = {
  id: 'one-answer',
  statement: '`n` is 1.',
  source: PAGE,
  refuses: (request) => ((bodyOf(request).n ?? 1) === 1 ? null : 'invalid params, n must be 1 (2013)'),
  examples: { refused: [{ body: { n: 2 } }] },
};

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
    oneAnswer,
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
