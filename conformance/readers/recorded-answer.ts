import { asObject, isObject, parseJson } from '../shared/json.ts';
import type { Recording, RecordingRow } from '../shared/recordings.ts';
import { readChatAnswer, readChatStream } from './chat.ts';
import { readCohereChatAnswer, readCohereChatStream } from './cohere-chat.ts';
import { readConverseAnswer, readConverseStream } from './converse.ts';
import { eventStreamFrames } from './event-stream-frames.ts';
import type { ExpectedAnswer } from './expected-answer.ts';
import { readGenerateContentAnswer, readGenerateContentStream } from './generate-content.ts';
import { readMessagesAnswer, readMessagesStream } from './messages.ts';
import { readResponsesAnswer, readResponsesStream } from './responses.ts';
import { streamedJson } from './server-sent-events.ts';

export type ApiKind = 'chat' | 'responses' | 'messages' | 'generate-content' | 'converse' | 'cohere-chat';

/**
 * The encoding of a body: JSON, server-sent events, or AWS frames. Each frame of `invoke` wraps an event of the model's
 * own format.
 */
type Wire = 'json' | 'events' | 'frames' | 'wrapped-events';

interface ReadableApi {
  readonly kind: ApiKind;
  readonly api: string;
  /** The providers whose API has this name; with `except`, all others. */
  readonly providers: 'any' | readonly string[];
  readonly except?: readonly string[];
  /** The encoding of a stream; a whole response is always JSON. */
  readonly stream: Wire;
}

/** The text exchanges that can be read, by the recordings' names of provider and API. */
export const READABLE_APIS: readonly ReadableApi[] = [
  { kind: 'chat', api: 'chat', providers: 'any', except: ['cohere'], stream: 'events' },
  { kind: 'chat', api: 'openai-compat-chat', providers: ['gemini'], stream: 'events' },
  { kind: 'cohere-chat', api: 'chat', providers: ['cohere'], stream: 'events' },
  { kind: 'responses', api: 'responses', providers: 'any', stream: 'events' },
  { kind: 'messages', api: 'messages', providers: 'any', stream: 'events' },
  { kind: 'messages', api: 'invoke', providers: ['bedrock'], stream: 'json' },
  { kind: 'messages', api: 'invoke-with-response-stream', providers: ['bedrock'], stream: 'wrapped-events' },
  { kind: 'generate-content', api: 'generateContent', providers: ['gemini', 'vertex'], stream: 'events' },
  { kind: 'converse', api: 'converse', providers: ['bedrock'], stream: 'json' },
  { kind: 'converse', api: 'converse-stream', providers: ['bedrock'], stream: 'frames' },
];

/** Returns the kind of a text exchange; `undefined` if it cannot be read. */
export function readableApi(row: Pick<RecordingRow, 'provider' | 'api'>): ReadableApi | undefined {
  return READABLE_APIS.find(
    ({ api, providers, except }) =>
      api === row.api &&
      (providers === 'any' || providers.includes(row.provider)) &&
      !(except ?? []).includes(row.provider),
  );
}

/**
 * Returns the provider's answer, read directly from the recording; `null` unless the exchange is a successful text exchange of a readable
 * kind (`invoke` is readable for Claude's Messages only: every other family has its own format).
 */
export function readRecordedAnswer(recording: Recording): ExpectedAnswer | null {
  const api = readableApi(recording);
  if (api === undefined || recording.status !== 200) return null;
  const body = recording.responseBody;
  if (api.stream === 'frames' || api.stream === 'wrapped-events') return readFrames(api.stream, body);
  const whole = parseJson(body);
  if (whole === undefined) {
    const events = streamedJson(body);
    return events.length === 0 ? null : readStream(api.kind, events, recording.provider);
  }
  const kind = kindOfBody(api.kind, whole);
  return kind === null ? null : readAnswer(kind, whole, recording.provider);
}

/** Reads a whole response of this kind, recorded or from the gateway. */
export function readAnswer(kind: ApiKind, body: unknown, provider = ''): ExpectedAnswer {
  switch (kind) {
    case 'chat':
      return readChatAnswer(body, provider);
    case 'responses':
      return readResponsesAnswer(body);
    case 'messages':
      return readMessagesAnswer(body);
    case 'generate-content':
      return readGenerateContentAnswer(body);
    case 'converse':
      return readConverseAnswer(body);
    case 'cohere-chat':
      return readCohereChatAnswer(body);
  }
}

/** Reads a streamed response of this kind from the parsed data of its server-sent events. */
export function readStream(kind: ApiKind, events: readonly unknown[], provider = ''): ExpectedAnswer {
  switch (kind) {
    case 'chat':
      return readChatStream(events, provider);
    case 'responses':
      return readResponsesStream(events);
    case 'messages':
      return readMessagesStream(events);
    case 'generate-content':
      return readGenerateContentStream(events);
    case 'cohere-chat':
      return readCohereChatStream(events);
    case 'converse':
      throw new Error('a stream of Converse comes in frames, not in server-sent events');
  }
}

function readFrames(wire: 'frames' | 'wrapped-events', body: string): ExpectedAnswer | null {
  const frames = eventStreamFrames(Uint8Array.fromBase64(body));
  if (wire === 'frames') {
    return readConverseStream(frames.map(({ type, payload }) => ({ type, data: parseJson(payload) })));
  }
  const events = frames.map(({ payload }) => {
    const bytes = asObject(parseJson(payload)).bytes;
    return typeof bytes === 'string' ? parseJson(new TextDecoder().decode(Uint8Array.fromBase64(bytes))) : undefined;
  });
  return asObject(events[0]).type === 'message_start' ? readMessagesStream(events) : null;
}

/** Returns the kind of the body, since some recordings are filed under another API. */
function kindOfBody(kind: ApiKind, body: unknown): ApiKind | null {
  if (!isObject(body)) return kind === 'generate-content' && Array.isArray(body) ? kind : null;
  // Azure answers `responses` for some models with a chat completion (azure/responses/026).
  if (kind === 'responses' && Array.isArray(body.choices)) return 'chat';
  const marks: Readonly<Record<ApiKind, string>> = {
    chat: 'choices',
    responses: 'output',
    messages: 'content',
    'generate-content': 'candidates',
    converse: 'output',
    'cohere-chat': 'message',
  };
  const blocked = kind === 'generate-content' && isObject(body.promptFeedback);
  return body[marks[kind]] !== undefined || blocked ? kind : null;
}
