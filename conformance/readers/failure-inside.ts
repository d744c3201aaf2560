import { asObject, isObject, parseJson } from '../shared/json.ts';
import type { Recording } from '../shared/recordings.ts';
import { eventStreamFrames } from './event-stream-frames.ts';
import { readableApi } from './recorded-answer.ts';
import { streamedJson } from './server-sent-events.ts';

/**
 * Returns the error inside a response with status 200: in place of a chunk, as an event, as a failed Response, or as an
 * exception's frame; `null` if there is none. `readRecordedAnswer` reads what precedes it.
 */
export function failureInside(recording: Recording): unknown {
  const api = readableApi(recording);
  if (api === undefined || recording.status !== 200) return null;
  if (api.stream === 'frames' || api.stream === 'wrapped-events') {
    const frames = eventStreamFrames(Uint8Array.fromBase64(recording.responseBody));
    const exception = frames.find(({ type }) => type.endsWith('Exception'));
    return exception === undefined ? null : { type: exception.type, ...asObject(parseJson(exception.payload)) };
  }
  const whole = parseJson(recording.responseBody);
  const events = whole === undefined ? streamedJson(recording.responseBody) : [whole];
  for (const event of events.map(asObject)) {
    if (isObject(event.error)) return event.error;
    if (event.type === 'error') return event;
    const failed = asObject(event.response);
    if (failed.status === 'failed') return failed.error;
  }
  return null;
}
