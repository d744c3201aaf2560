import { Failure } from '../../domain/failure/failure.ts';
import type { ParsedRequest } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { validateChatRequest } from './schema.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses and validates a chat request against the contract's table (POST /v1/chat/completions). */
export function parseRequest(bytes: Uint8Array): ParsedRequest | Failure {
  if (bytes.length === 0) {
    return new Failure('empty_body', {
      message: 'The request has no body. Send a JSON object with at least `model` and `messages`.',
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
  const violation = validateChatRequest(body);
  if (violation) return violation;
  if (!isRecord(body)) return new Failure('invalid_type', { message: 'The request body must be a JSON object.' });
  const streamOptions = body.stream_options;
  return {
    model: String(body.model),
    stream: body.stream === true,
    wantsStreamUsage: isRecord(streamOptions) && streamOptions.include_usage === true,
    bytes: withoutByteOrderMark(bytes),
    body,
  };
}

/** `null` where the bytes are no UTF-8. A byte order mark is no part of the text (RFC 8259, section 8.1). */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return null;
  }
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
