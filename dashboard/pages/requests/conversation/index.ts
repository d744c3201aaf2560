import type { Capture } from '../../../api/schema.ts';
import { isObject, type JsonObject, parseJson } from '../../shared/json.ts';
import { eventsIn } from '../../shared/sse.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { openaiChat } from './openai-chat.ts';
import { parsePrefix } from './partial-json.ts';
import { responses } from './responses.ts';
import { type Answered, type Asked, type ConversationFormat, withCallNames } from './turns.ts';

type Body = Pick<Capture['request'], 'text' | 'content_type'>;

/** The formats of conversations by the name in the request log. */
const FORMATS: Readonly<Record<string, ConversationFormat>> = {
  'openai-chat': openaiChat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  gemini,
};

/** A captured exchange. A side is `null` if it was not captured, or cannot be read as a conversation. */
export interface Conversation {
  readonly asked: Asked | null;
  readonly answered: Answered | null;
}

/** Reads a captured exchange. Returns `null` if the format has no conversation, or neither side can be read. Never throws. */
export function conversationOf(format: string, request: Body, answer: Body): Conversation | null {
  const reader = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (reader === undefined) return null;
  const asked = safely(() => askedIn(reader, request));
  const answered = safely(() => answeredIn(reader, answer));
  if (asked === null && answered === null) return null;
  const names = new Map<string, string>();
  return {
    asked: asked && { ...asked, turns: withCallNames(asked.turns, names) },
    answered: answered && { ...answered, turns: withCallNames(answered.turns, names) },
  };
}

/** A capture is foreign data: one that cannot be read is shown as text only. */
function safely<Value>(read: () => Value | null): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function askedIn(reader: ConversationFormat, { text }: Body): Asked | null {
  const body = text === null ? undefined : parsePrefix(text);
  if (!isObject(body)) return null;
  const asked = reader.request(body);
  return asked.turns.length === 0 ? null : { ...asked, tools: asked.tools.filter((name) => name !== '') };
}

function answeredIn(reader: ConversationFormat, { text, content_type: type }: Body): Answered | null {
  if (text === null || text === '') return null;
  const answered = reader.answer(bodyIn(reader, text, type) ?? {});
  return answered.turns.length === 0 && answered.error === null ? null : answered;
}

function bodyIn(reader: ConversationFormat, text: string, type: string | null): JsonObject | null {
  const isStream = type?.includes('event-stream') === true || /^(?:event|data):/.test(text);
  if (isStream) return reader.assembled(eventsIn(text).map(parseJson).filter(isObject));
  const body = parsePrefix(text);
  // A stream of Gemini without events is one list.
  if (Array.isArray(body)) return reader.assembled(body.filter(isObject));
  return isObject(body) ? body : null;
}
