/** A frame of Amazon's event stream. */
export interface AwsFrame {
  /** The headers with text values. */
  readonly texts: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

const CHECKSUM_BYTES = 4;
/** The lengths of the frame and of its headers, which have a separate checksum. */
const LENGTHS_BYTES = 8;
const HEADERS_AT = LENGTHS_BYTES + CHECKSUM_BYTES;

/** The length of a header's value by its type number; -1 if two preceding bytes state it. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const TEXT = 7;

const decoder = new TextDecoder();

/**
 * Reads one whole frame (`application/vnd.amazon.eventstream`): its length and that of its headers, a checksum of both, the
 * headers, the body, and a checksum of everything. Returns `null` if it is damaged.
 */
export function readAwsFrame(frame: Uint8Array): AwsFrame | null {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const end = frame.length - CHECKSUM_BYTES;
  if (end < HEADERS_AT || view.getUint32(0) !== frame.length) return null;
  if (view.getUint32(LENGTHS_BYTES) !== Bun.hash.crc32(frame.subarray(0, LENGTHS_BYTES))) return null;
  if (view.getUint32(end) !== Bun.hash.crc32(frame.subarray(0, end))) return null;
  const bodyAt = HEADERS_AT + view.getUint32(LENGTHS_BYTES / 2);
  if (bodyAt > end) return null;
  const texts = textHeaders(frame.subarray(HEADERS_AT, bodyAt));
  return texts && { texts, body: frame.subarray(bodyAt, end) };
}

/** Returns `null` if a header is truncated or has an unknown type. */
function textHeaders(bytes: Uint8Array): Map<string, string> | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameAt = at + 1;
    const typeAt = nameAt + view.getUint8(at);
    if (typeAt >= bytes.length) return null;
    const type = view.getUint8(typeAt);
    const fixed = VALUE_BYTES[type];
    const valueAt = typeAt + (fixed === -1 ? 3 : 1);
    if (fixed === undefined || valueAt > bytes.length) return null;
    at = valueAt + (fixed === -1 ? view.getUint16(typeAt + 1) : fixed);
    if (at > bytes.length) return null;
    if (type === TEXT)
      texts.set(decoder.decode(bytes.subarray(nameAt, typeAt)), decoder.decode(bytes.subarray(valueAt, at)));
  }
  return texts;
}
