import type { Gateway } from './gateway.ts';

export interface RawChatOptions {
  readonly model: string;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

/** Sends a chat request as plain HTTP, for what an SDK would hide: headers, frames, and disconnecting midway. */
export function rawChat(gateway: Gateway, { model, stream = false, signal }: RawChatOptions): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}
