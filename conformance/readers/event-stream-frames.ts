import { EventStreamCodec } from '@smithy/eventstream-codec';

/** One frame of an AWS event stream: its type (`:event-type`, or the exception's) and its payload as text. */
export interface EventStreamFrame {
  readonly type: string;
  readonly payload: string;
}

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => new TextEncoder().encode(text),
);

/** Returns the frames of a whole body; throws if a frame is truncated or its checksum is wrong. */
export function eventStreamFrames(body: Uint8Array): readonly EventStreamFrame[] {
  const frames: EventStreamFrame[] = [];
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  // A frame begins with its own length in bytes, as a big-endian 32-bit integer.
  for (let start = 0; start < body.byteLength; ) {
    const end = start + view.getUint32(start);
    const message = codec.decode(body.subarray(start, end));
    const type = message.headers[':event-type']?.value ?? message.headers[':exception-type']?.value;
    frames.push({ type: String(type ?? ''), payload: new TextDecoder().decode(message.body) });
    start = end;
  }
  return frames;
}
