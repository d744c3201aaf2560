import type { FormatId } from '../conversation.ts';
import type { ChatFormat } from './format.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { openaiChat } from './openai-chat.ts';
import { responses } from './responses.ts';

export const CHAT_FORMATS: Readonly<Record<FormatId, ChatFormat>> = {
  'openai-chat': openaiChat,
  responses,
  messages,
  gemini,
};
