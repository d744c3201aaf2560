import { isObject, parseJson } from '../shared/json.ts';
import type { Recording } from '../shared/recordings.ts';
import type { ApiKind } from './recorded-answer.ts';

export type ClientFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** How an answer in a client format is read: for what a client of the gateway got. */
export const KIND_OF_FORMAT: Readonly<Record<ClientFormat, ApiKind>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  gemini: 'generate-content',
};

export interface RecordedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** The client format of the request, null where no client of the gateway would send it so (Converse, Cohere's own …). */
  readonly format: ClientFormat | null;
}

/** The recorded request, or null where none was kept or it is not a JSON object. */
export function readRecordedRequest(recording: Recording): RecordedRequest | null {
  const body = recording.requestBody === null ? undefined : parseJson(recording.requestBody);
  return isObject(body) ? { body, format: formatOf(recording, body) } : null;
}

function formatOf({ provider, api }: Recording, body: Readonly<Record<string, unknown>>): ClientFormat | null {
  const hasMessages = Array.isArray(body.messages);
  switch (api) {
    case 'chat':
    case 'openai-compat-chat':
      return hasMessages && provider !== 'cohere' ? 'openai-chat' : null;
    case 'responses':
      // Azure's deployments of other makers' models take chat requests in this place (azure/responses/026).
      if (hasMessages) return 'openai-chat';
      return body.input !== undefined || body.prompt !== undefined || body.previous_response_id !== undefined
        ? 'openai-responses'
        : null;
    case 'messages':
      return hasMessages ? 'anthropic-messages' : null;
    case 'generateContent':
      return body.contents === undefined ? null : 'gemini';
    default:
      // Bedrock's `invoke` with Claude is nearly Messages, but has no model, and a version in its body.
      return null;
  }
}
