import type { ClientFormat } from '../../readers/index.ts';
import { MESSAGES } from './anthropic-messages.ts';
import { CHAT_DIALECTS } from './chat-dialects.ts';
import { GEMINI } from './gemini.ts';
import { CHAT } from './openai-chat.ts';
import { RESPONSES } from './openai-responses.ts';
import type { Bodies } from './samples.ts';

/** Requests with members that recordings rarely or never have, by topic. */
export const RARE_REQUESTS: Readonly<Record<ClientFormat, Bodies>> = {
  'openai-chat': { ...CHAT, ...CHAT_DIALECTS },
  'openai-responses': RESPONSES,
  'anthropic-messages': MESSAGES,
  gemini: GEMINI,
};
