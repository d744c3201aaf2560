import { anthropicMessages } from './anthropic-messages.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export * from './driver.ts';

/** The four official SDKs, in the order of the table's columns. */
export const DRIVERS: readonly Driver[] = [openaiChat, openaiResponses, anthropicMessages, gemini];
