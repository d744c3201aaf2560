import { isObject, type JsonObject } from '../shared/json.ts';
import { jsonSaid } from '../shared/written.ts';

/** The request in the form of the page. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly prompt: string;
  /** JSON; empty for a request with only the prompt. */
  readonly body: string;
  readonly tags: string;
  readonly session: string;
  readonly key: string;
  readonly at: string;
}

interface EndpointForm {
  /** Returns the path for a model. */
  readonly path: (model: string) => string;
  /** Returns a simple request. */
  readonly body: (model: string, prompt: string) => JsonObject;
}

const chat = (model: string, content: string) => ({ model, messages: [{ role: 'user', content }] });
const plain = (path: string, body: EndpointForm['body']): EndpointForm => ({ path: () => path, body });

export const ENDPOINTS = {
  'Chat completions': plain('/v1/chat/completions', chat),
  Responses: plain('/v1/responses', (model, input) => ({ model, input })),
  Messages: plain('/v1/messages', (model, content) => ({ ...chat(model, content), max_tokens: 1_024 })),
  'generateContent (Gemini)': {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  Embeddings: plain('/v1/embeddings', (model, input) => ({ model, input })),
  Rerank: plain('/v1/rerank', (model, query) => ({ model, query, documents: [query] })),
  Search: plain('/v1/search', (model, query) => ({ model, query })),
  Moderations: plain('/v1/moderations', (model, input) => ({ model, input })),
  Images: plain('/v1/images/generations', (model, prompt) => ({ model, prompt })),
  Speech: plain('/v1/audio/speech', (model, input) => ({ model, input, voice: 'alloy' })),
  Videos: plain('/v1/videos/generations', (model, prompt) => ({ model, prompt })),
  Music: plain('/v1/music/generations', (model, prompt) => ({ model, prompt })),
  '3D': plain('/v1/3d/generations', (model, prompt) => ({ model, prompt })),
} satisfies Readonly<Record<string, EndpointForm>>;
export type Endpoint = keyof typeof ENDPOINTS;

export const NOTHING_ASKED: Asked = {
  ...{ endpoint: 'Chat completions', model: '', prompt: 'Hello!', body: '' },
  ...{ tags: '', session: '', key: '', at: '' },
};

/** Returns the body of the request; `null` if the written one is no JSON object. */
export function bodyOf({ endpoint, model, prompt, body }: Asked): JsonObject | null {
  if (body.trim() === '') return ENDPOINTS[endpoint].body(model.trim(), prompt);
  const value = jsonSaid(body);
  return isObject(value) ? value : null;
}

export function headersOf({ tags, session }: Asked): Readonly<Record<string, string>> {
  return {
    ...(tags.trim() !== '' && { 'x-switchyard-tags': tags.trim() }),
    ...(session.trim() !== '' && { 'x-session-id': session.trim() }),
  };
}
