import { EventStreamToSse } from '../../src/formats/shared/stream/aws-event-stream.ts';
import { upstreamOf } from '../matrix/channels.ts';
import { readableApi, readRecordedRequest, serverSentEvents } from '../readers/index.ts';
import { isObject, parseJson } from '../shared/json.ts';
import { type RecordingRow, readRecording } from '../shared/recordings.ts';
import { INLINE_ANSWERS, INLINE_REQUESTS, INLINE_STREAMS } from './inline-samples.ts';
import type { RequestSample, StreamSample, WholeSample } from './sample.ts';

export interface Samples {
  readonly answers: readonly WholeSample[];
  readonly streams: readonly StreamSample[];
  readonly requests: readonly RequestSample[];
  /** AWS frames as they were received. */
  readonly frames: readonly Uint8Array[];
}

/** A larger body is slower to change and read, and finds no more. */
const MAX_CHARACTERS = 60_000;

/** Loads the inputs: every `stride`th exchange, and the inline samples. */
export function loadSamples(exchanges: readonly RecordingRow[], stride = 1): Samples {
  const answers: WholeSample[] = [...INLINE_ANSWERS];
  const streams: StreamSample[] = [...INLINE_STREAMS];
  const requests: RequestSample[] = [...INLINE_REQUESTS];
  const frames: Uint8Array[] = [];
  for (const [number, row] of exchanges.entries()) {
    const api = readableApi(row);
    if (api === undefined || number % stride !== 0) continue;
    const recording = readRecording(row);
    const { file: name, responseBody, requestBody } = recording;
    const request = readRecordedRequest(recording);
    if (request?.format && (requestBody?.length ?? 0) <= MAX_CHARACTERS) {
      requests.push({ name, format: request.format, body: request.body });
    }
    if (row.status !== 200 || responseBody.length > MAX_CHARACTERS) continue;
    const { format } = upstreamOf(recording, api.kind);
    const isFramed = api.stream === 'frames' || api.stream === 'wrapped-events';
    const body = isFramed ? undefined : parseJson(responseBody);
    if (isFramed) {
      const bytes = Uint8Array.fromBase64(responseBody);
      frames.push(bytes);
      streams.push({ name, format, events: serverSentEvents(unframed(bytes)) });
    } else if (isObject(body)) answers.push({ name, format, body });
    else if (responseBody !== '') streams.push({ name, format, events: serverSentEvents(responseBody) });
  }
  return { answers, streams, requests, frames };
}

function unframed(bytes: Uint8Array): string {
  const frames = new EventStreamToSse();
  return new TextDecoder().decode(Buffer.concat([frames.push(bytes), frames.end()]));
}
