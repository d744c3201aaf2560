import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { anthropicMessages } from '../../formats/text/anthropic-messages/index.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { gemini } from '../../formats/text/gemini/index.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { ClientRequest } from './route.ts';

/**
 * Returns the format in which a caller of `/v1/models` expects the answer. Anthropic's and Google's SDKs use the same path as OpenAI's and
 * are recognized by headers that only they send; a bare `x-api-key` is Anthropic's way to authenticate.
 */
export function shapeOf(request: ClientRequest): ClientFormat {
  return shapeOfHeaders(request.headers) ?? (requestTarget(request.url).query.has('key') ? gemini : openaiChat);
}

/** Does the same by the headers alone; returns `null` if they show nothing. */
export function shapeOfHeaders(headers: Headers): ClientFormat | null {
  if (headers.has('anthropic-version')) return anthropicMessages;
  if (headers.has('x-goog-api-key') || headers.has('x-goog-api-client')) return gemini;
  if (headers.has('authorization')) return openaiChat;
  if (headers.has('x-api-key')) return anthropicMessages;
  return null;
}
