import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits, type Edit, removeMembers, safeParse } from '../../shared/json/json-patch.ts';
import { MemberNames } from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { BodyScan } from '../../shared/request/body-scan.ts';
import { encodeFailure } from './failure.ts';

/*
 * Responses over WebSocket (OpenAI, "WebSocket mode"; Open Responses of 2026-04-24): each request is a text message, and so
 * is each event of its answer.
 */

/** A `response.create` message. */
export interface CreateMessage {
  /** The body that POST /v1/responses takes. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The client's name for one of the connection's parallel lanes. */
  readonly streamId: string | null;
  /** `false` only prepares the conversation without calling the model. */
  readonly generates: boolean;
}

const ENVELOPE = new MemberNames('type', 'stream_id', 'generate', 'stream', 'background');
const OPEN_BRACE = 0x7b;
const STREAM_ID = /^[\w.-]{1,256}$/;

/**
 * Reads a `response.create` message. All other bytes of the client stay unchanged. The limits for a body are checked before
 * anything is built from the bytes.
 */
export function createMessage(bytes: Uint8Array): CreateMessage | Failure {
  const scan = new BodyScan(bytes, 0, null);
  scan.run(bytes.length);
  if (scan.failure !== null) return scan.failure;
  const object = scan.isBroken ? null : scan.object(ENVELOPE);
  if (object === null || bytes[object.start] !== OPEN_BRACE) {
    return new Failure('invalid_json', {
      message: 'The message is not a JSON object. Send one with the type response.create.',
    });
  }
  const { members } = object;
  const type = members.findLast(({ name }) => name === 'type');
  const value = (name: string): unknown => {
    const member = members.findLast((candidate) => candidate.name === name);
    return member === undefined ? null : safeParse(bytes, member);
  };
  if (type === undefined || value('type') !== 'response.create') {
    return invalid('type must be "response.create", the only message that clients may send here', 'type');
  }
  const [streamId, generate, stream, background] = ['stream_id', 'generate', 'stream', 'background'].map(value);
  if (streamId !== null && !(typeof streamId === 'string' && STREAM_ID.test(streamId))) {
    return invalid('stream_id must be 1 to 256 letters, digits and . _ -', 'stream_id');
  }
  if (generate !== null && typeof generate !== 'boolean') return invalid('generate must be true or false', 'generate');
  if (stream !== null && stream !== true) {
    return invalid('stream must be left out: over a WebSocket every response is streamed', 'stream');
  }
  if (background !== null && background !== false) {
    return invalid('background must be left out: the gateway does not run responses in the background', 'background');
  }
  const others = members.filter((member) => member !== type);
  const streamed: Edit = { start: type.keyStart, end: type.valueEnd, text: '"stream":true' };
  const edits = [...removeMembers(bytes, object, others).edits, streamed];
  const body = applyEdits(
    bytes,
    edits.toSorted((left, right) => left.start - right.start),
  );
  return { body, streamId, generates: generate !== false };
}

function invalid(message: string, param: string): Failure {
  return new Failure('invalid_value', { message, param });
}

/** Returns an event's JSON text, with the lane that the event belongs to. */
export function eventMessage(json: string, streamId: string | null): string {
  if (streamId === null) return json;
  return `${json.slice(0, json.lastIndexOf('}'))},"stream_id":${JSON.stringify(streamId)}}`;
}

/** Returns the message for an error answer, made from its status and body. */
export function errorMessage(status: number, body: string, streamId: string | null): string {
  const error = parseObject(body)?.error;
  return eventMessage(JSON.stringify({ type: 'error', status, error: isRecord(error) ? error : {} }), streamId);
}

export function failureMessage(failure: Failure, streamId: string | null): string {
  return errorMessage(failure.status, encodeFailure(failure).body, streamId);
}

/** Returns the answer to a request that only prepares: the response without output, first as begun and then as completed. */
export function preparedMessages(responseJson: string, streamId: string | null): readonly string[] {
  const response = parseObject(responseJson);
  const { _routing: _, ...begun } = response ?? {};
  const opening = { ...begun, status: 'in_progress', completed_at: null, usage: null };
  return [
    { type: 'response.created', sequence_number: 0, response: opening },
    { type: 'response.completed', sequence_number: 1, response },
  ].map((event) => eventMessage(JSON.stringify(event), streamId));
}
