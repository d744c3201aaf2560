import { Failure } from '../../domain/failure/failure.ts';
import type { InboundCall, ParsedRequest } from '../format.ts';
import { parseBody, withoutByteOrderMark } from '../shared/body.ts';
import { isRecord } from '../shared/record.ts';
import { validateChatRequest } from './schema.ts';

/** Parses and validates a chat request against the contract's table (POST /v1/chat/completions). */
export function parseRequest(bytes: Uint8Array, call: InboundCall): ParsedRequest | Failure {
  const body = parseBody(bytes, '`model` and `messages`');
  if (body instanceof Failure) return body;
  const violation = validateChatRequest(body);
  if (violation) return violation;
  const streamOptions = body.stream_options;
  return {
    call,
    model: String(body.model),
    stream: body.stream === true,
    wantsStreamUsage: isRecord(streamOptions) && streamOptions.include_usage === true,
    bytes: withoutByteOrderMark(bytes),
    body,
  };
}
