import type { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { decodeFailure as decodeUsual, messageOf, withParam } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['content_policy_violation', 'no_media_generated']);
/** Errors about the client's images (fal.ai/docs, "Model errors"). */
const INPUT_TYPES: ReadonlySet<unknown> = new Set([
  'image_load_error',
  'file_download_error',
  'file_too_large',
  'unsupported_image_format',
  'face_detection_error',
  'image_too_small',
  'image_too_large',
]);

/**
 * Decodes fal's errors, each of which has a type and names a member: `detail: [{loc: ["body", "prompt"], msg, type}]`.
 * `imageField` is the client's name for images, and `ownField` returns its name for any other member of fal's.
 */
export function falFailure(
  status: number,
  headers: AnswerHeaders,
  bytes: Uint8Array,
  imageField: string,
  ownField: (member: string) => string | null,
): Failure {
  if (status !== 400 && status !== 422) return decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes);
  const [first]: readonly unknown[] = isRecord(body) && Array.isArray(body.detail) ? body.detail : [];
  const { type } = objectOf(first);
  if (CONTENT_TYPES.has(type)) return contentRefused(messageOf(isRecord(first) ? first.msg : null));
  const failure = decodeUsual(status, headers, bytes);
  const field = INPUT_TYPES.has(type) ? imageField : ownField(memberOf(failure.details.param));
  return withParam(failure, field);
}

function memberOf(param: string | undefined): string {
  return (param ?? '').split('.')[0] ?? '';
}
