import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual, messageOf, withParam } from '../../shared/failure/upstream-failure.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { NextRequest, WireAnswer } from '../../wire.ts';

const POLL_MS = 500;
const LONGEST_URL = 2_048;
const ID = /^[\w-]{1,100}$/;
/** Newer kinds of work have their own states. All of these mean that the job continues. */
const WORKING: ReadonlySet<unknown> = new Set(['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating']);

/**
 * Implements `PolledWire.next`. A job is known only on the machine that runs it, so it is polled at the URL in the first answer,
 * which the engine checks against the channel's own domain; later answers do not repeat the URL.
 */
export function nextResult({ bytes }: WireAnswer): NextRequest | null | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const { status, id, polling_url: pollingUrl } = body;
  if (status === 'Ready') return null;
  if (isUrl(pollingUrl) && (status === undefined || WORKING.has(status))) {
    return { method: 'GET', url: pollingUrl, afterMs: POLL_MS, body: null };
  }
  if (WORKING.has(status)) return { method: 'GET', url: null, afterMs: POLL_MS, body: null };
  if (status === 'Request Moderated') return moderated(body.details, 'The provider’s moderation refused the request.');
  if (status === 'Content Moderated') return moderated(body.details, 'The provider’s moderation refused the image.');
  if (status === 'Task not found') return lost('The provider no longer has the job.');
  if (status === 'Error') {
    const words = cleanMessage(messageOf(body.details) || messageOf(body.error) || messageOf(body.result));
    return lost(`The job failed at the provider${words === '' ? '.' : `: ${words}`}`);
  }
  if (status === undefined && typeof id === 'string' && ID.test(id)) {
    return { method: 'GET', url: `/get_result?id=${id}`, afterMs: POLL_MS, body: null };
  }
  return garbage('The upstream reported an unknown job status.');
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_URL;
}

function lost(message: string): Failure {
  return new Failure('upstream_error', { kind: 'job_failed', message });
}

/** Reads the reasons from `details`: `{"Moderation Reasons": ["Derivative Works Filter"]}`. */
function moderated(details: unknown, said: string): Failure {
  const reasons: unknown = isRecord(details) ? details['Moderation Reasons'] : null;
  const words = (Array.isArray(reasons) ? reasons : [reasons]).filter((word) => typeof word === 'string').slice(0, 8);
  return contentRefused(words.length === 0 ? said : `${said} (${words.join(', ')})`);
}

/** Decodes the answer; `result.sample` is the image's URL, valid for ten minutes. */
export function decodeAnswer({ bytes }: WireAnswer, { fileFormat, prompt }: ImageRequest): ImageAnswer | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  if (body.status !== 'Ready' || !isRecord(body.result)) return bodyNoAnswer();
  const { sample, prompt: used } = body.result;
  const madeAs = fileFormat ?? 'jpeg';
  const images = imagesOf([{ sample, used }], () => ({
    ...{ url: sample, mediaType: `image/${madeAs}`, revisedPrompt: used === prompt ? null : used },
  }));
  return images instanceof Failure ? images : { ...IMAGES_ALONE, images, fileFormat: madeAs };
}

/** The client's names for members of the provider's requests. */
const FIELDS: Readonly<Record<string, string>> = { width: 'size', height: 'size', output_format: 'output_format' };

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  const { param } = failure.details;
  if (failure.side !== 'client' || param === undefined) return failure;
  const isImage = /^(?:input_image|image)(?:_\d)?$/.test(param);
  return withParam(failure, isImage ? 'image' : entryOf(FIELDS, param));
}
