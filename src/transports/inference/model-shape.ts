import { anthropicMessages } from '../../formats/anthropic-messages/index.ts';
import type { ClientFormat } from '../../formats/format.ts';
import { gemini } from '../../formats/gemini/index.ts';
import { openaiChat } from '../../formats/openai-chat/index.ts';

/**
 * In whose words a caller of `/v1/models` expects the answer. Anthropic's and Google's SDKs ask at the same path as OpenAI's
 * and are known by the headers that only they send; a bare `x-api-key` is Anthropic's way to authenticate.
 */
export function shapeOf(request: Request): ClientFormat {
  const { headers } = request;
  if (headers.has('anthropic-version')) return anthropicMessages;
  if (headers.has('x-goog-api-key') || headers.has('x-goog-api-client')) return gemini;
  if (headers.has('authorization')) return openaiChat;
  if (headers.has('x-api-key')) return anthropicMessages;
  return new URL(request.url).searchParams.has('key') ? gemini : openaiChat;
}
