import type { Tokenizer } from '../../shared/tokenizer.ts';
import type { ChatMessage, ChatRequest } from './request.ts';

/** The tokens that OpenAI's chat format adds around a message, and before the answer. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_BEFORE_ANSWER = 3;
/** OpenAI's price for an image at low detail; the sandbox does not examine images. */
const TOKENS_PER_ATTACHMENT = 85;

export function promptTokens(tokenizer: Tokenizer, request: ChatRequest): number {
  const tools = request.tools?.length ? tokenizer.count(JSON.stringify(request.tools)) : 0;
  const messages = request.messages.reduce((sum, message) => sum + messageTokens(tokenizer, message), 0);
  return messages + tools + TOKENS_BEFORE_ANSWER;
}

function messageTokens(tokenizer: Tokenizer, message: ChatMessage): number {
  let tokens = TOKENS_PER_MESSAGE + (message.name ? tokenizer.count(message.name) : 0);
  if (message.tool_calls?.length) tokens += tokenizer.count(JSON.stringify(message.tool_calls));
  if (typeof message.content === 'string') return tokens + tokenizer.count(message.content);
  for (const part of message.content ?? []) {
    tokens += part.text === undefined ? TOKENS_PER_ATTACHMENT : tokenizer.count(part.text);
  }
  return tokens;
}
