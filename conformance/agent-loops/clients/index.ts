import { ANTHROPIC_CLIENTS } from './anthropic.ts';
import type { Client } from './client.ts';
import { GEMINI_CLIENTS } from './gemini.ts';
import { CHAT_CLIENTS } from './openai-chat.ts';
import { RESPONSES_CLIENTS } from './openai-responses.ts';

export type { Client, Form } from './client.ts';

/** The four official SDKs, each in the ways in which people use it. */
export const CLIENTS: readonly Client[] = [
  ...CHAT_CLIENTS,
  ...RESPONSES_CLIENTS,
  ...ANTHROPIC_CLIENTS,
  ...GEMINI_CLIENTS,
];
