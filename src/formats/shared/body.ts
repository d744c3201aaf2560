import { Failure } from '../../domain/failure/failure.ts';
import { isTooDeep } from './json-text.ts';
import { isRecord } from './record.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** A request body as a JSON object; `needed` names the members that no request is without, for the message. */
export function parseBody(bytes: Uint8Array, needed: string): Readonly<Record<string, unknown>> | Failure {
  if (bytes.length === 0) {
    return new Failure('empty_body', {
      message: `The request has no body. Send a JSON object with at least ${needed}.`,
    });
  }
  const text = decodeUtf8(bytes);
  if (text === null) return new Failure('invalid_json', { message: 'The request body is not valid UTF-8.' });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, '') : 'unreadable';
    return new Failure('invalid_json', { message: `The request body is not valid JSON: ${reason.slice(0, 200)}.` });
  }
  if (isTooDeep(body, bytes.length)) {
    return new Failure('invalid_value', { message: 'The request body nests its values too deep.' });
  }
  return isRecord(body) ? body : new Failure('invalid_type', { message: 'The request body must be a JSON object.' });
}

/** `null` where the bytes are no UTF-8. A byte order mark is no part of the text (RFC 8259, section 8.1). */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return null;
  }
}

export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
