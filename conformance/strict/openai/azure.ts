import type { StrictUpstream } from '../rule.ts';
import { openaiChat } from './chat.ts';
import { openaiResponses } from './responses.ts';

/* Azure serves OpenAI's models with OpenAI's rules, under its own paths. */

export const azureChat: StrictUpstream = {
  ...openaiChat,
  name: 'azure-openai-chat',
  label: 'Azure OpenAI, chat completions',
  provider: 'azure-openai',
  basic: { path: '/openai/v1/chat/completions' },
};

export const azureResponses: StrictUpstream = {
  ...openaiResponses,
  name: 'azure-openai-responses',
  label: 'Azure OpenAI, Responses',
  provider: 'azure-openai',
  basic: { path: '/openai/v1/responses' },
};
