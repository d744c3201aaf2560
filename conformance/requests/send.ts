import type { ClientFormat } from '../readers/index.ts';
import type { Gateway } from '../shared/gateway.ts';
import { findMember, withValue } from '../shared/json-text.ts';
import type { ClientRequest } from './recorded-requests.ts';

/** Returns the path to which each format's clients send a request for `model`. */
function urlOf(format: ClientFormat, model: string, stream: boolean): string {
  switch (format) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'gemini':
      return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  }
}

/** Returns the body with `model`, which Gemini has only in the path. */
export function bodyFor(format: ClientFormat, text: string, model: string): string {
  if (format === 'gemini') return text;
  if (findMember(text, 'model') !== undefined) return withValue(text, 'model', JSON.stringify(model));
  return text.replace('{', () => `{"model":${JSON.stringify(model)},`);
}

/** Sends the bytes unchanged. */
export function send(
  gateway: Pick<Gateway, 'origin' | 'apiKey'>,
  request: Pick<ClientRequest, 'format' | 'stream' | 'headers'>,
  model: string,
  body: string,
): Promise<Response> {
  return fetch(gateway.origin + urlOf(request.format, model, request.stream), {
    method: 'POST',
    headers: {
      ...request.headers,
      authorization: `Bearer ${gateway.apiKey}`,
      'content-type': 'application/json',
    },
    body,
    signal: AbortSignal.timeout(300_000),
  });
}
