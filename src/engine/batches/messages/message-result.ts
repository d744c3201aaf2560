import type { LineOutcome } from '../../../domain/batches/batch.ts';
import { exactObject, jsonOf } from '../../../formats/shared/json/exact-json.ts';
import { nonEmptyText, textOrNull } from '../../../formats/shared/json/json-values.ts';
import { isRecord, objectOf } from '../../../formats/shared/json/record.ts';

/** Returns a line's result, in the shape of a batch's output file, as a line of Anthropic's results; `null` for any other text. */
export function messageResult(json: string): string | null {
  const value = exactObject(json);
  if (value === null || typeof value.custom_id !== 'string') return null;
  return lineOf(value.custom_id, resultOf(value));
}

/** Returns the result of a request that was not run. */
export function unrunResult(customId: string, outcome: LineOutcome): string {
  if (outcome === 'cancelled') return lineOf(customId, '{"type":"canceled"}');
  return lineOf(customId, outcome === 'expired' ? '{"type":"expired"}' : errored('api_error', UNKNOWN, null));
}

const UNKNOWN = 'The request failed.';

function lineOf(customId: string, result: string): string {
  return `{"custom_id":${JSON.stringify(customId)},"result":${result}}\n`;
}

function resultOf({ response }: Readonly<Record<string, unknown>>): string {
  const { status_code: status, body, request_id: id } = objectOf(response);
  if (Number(status) >= 200 && Number(status) < 300) return `{"type":"succeeded","message":${jsonOf(body)}}`;
  // The endpoint has answered in Anthropic's envelope.
  if (isRecord(body) && body.type === 'error') return `{"type":"errored","error":${jsonOf(body)}}`;
  const { message } = objectOf(objectOf(body).error);
  const type = Number(status) >= 400 && Number(status) < 500 ? 'invalid_request_error' : 'api_error';
  return errored(type, nonEmptyText(message) ?? UNKNOWN, textOrNull(id));
}

function errored(type: string, message: string, requestId: string | null): string {
  return JSON.stringify({
    type: 'errored',
    error: { type: 'error', error: { type, message }, request_id: requestId },
  });
}
