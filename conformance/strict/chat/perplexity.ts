import type { Rule, StrictUpstream } from '../rule.ts';
import { ANSWER, checkedOn, conversation, knownRoles, messagesOf, SYSTEM, USER } from '../shared/chat-rules.ts';

/** A copy of the published document. */
const REFERENCE = checkedOn(
  'https://github.com/api-evangelist/perplexity/blob/main/json-schema/perplexity-chatmessagerole-schema.json',
  '2026-11-29',
);

const alternating: Rule = {
  id: 'alternating-roles',
  statement: 'System messages must come first; then user and assistant must alternate.',
  source: checkedOn('https://github.com/perplexityai/api-discussion/issues/265'),
  refuses(request) {
    const messages = messagesOf(request);
    const first = messages.findIndex(({ role }) => role !== 'system');
    const rest = first < 0 ? [] : messages.slice(first);
    const isBroken = rest.some(({ role }, index) => role === 'system' || role === rest[index - 1]?.role);
    return isBroken
      ? 'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).'
      : null;
  },
  examples: {
    refused: [conversation(USER, USER), conversation(USER, ANSWER, SYSTEM, USER)],
    accepted: [conversation(SYSTEM, SYSTEM, USER, ANSWER, USER)],
  },
};

export const perplexity: StrictUpstream = {
  name: 'perplexity',
  label: 'Perplexity (Sonar), chat completions',
  provider: 'perplexity',
  wire: 'openai-chat',
  models: ['sonar-pro'],
  rules: [
    knownRoles({ source: REFERENCE }, ['system', 'user', 'assistant', 'tool'], (role) => `Invalid role: ${role}`),
    alternating,
  ],
  envelope: (message) => ({ error: { message, type: 'invalid_message', code: 400 } }),
};
