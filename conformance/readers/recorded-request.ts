import { isObject, parseJson } from '../shared/json.ts';
import type { Recording } from '../shared/recordings.ts';
import type { ApiKind } from './recorded-answer.ts';

export type ClientFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** The reader for each client format's responses. */
export const KIND_OF_FORMAT: Readonly<Record<ClientFormat, ApiKind>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  gemini: 'generate-content',
};

export interface RecordedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** The client format of the request; `null` if it is not one (Converse, Cohere's own …). */
  readonly format: ClientFormat | null;
}

/** Returns the recorded request; `null` if there is none or it is not a JSON object. */
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
      // Azure's deployments of other vendors' models accept chat requests here (azure/responses/026).
      if (hasMessages) return 'openai-chat';
      return body.input !== undefined || body.prompt !== undefined || body.previous_response_id !== undefined
        ? 'openai-responses'
        : null;
    case 'messages':
      return hasMessages ? 'anthropic-messages' : null;
    case 'generateContent':
      return body.contents === undefined ? null : 'gemini';
    default:
      // A request of Bedrock's `invoke` with Claude is a Messages request without a model, and with a version
      // in its body.
      return null;
  }
}
