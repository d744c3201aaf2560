import { Failure } from '../../../domain/failure/failure.ts';
import { askedSize } from '../../../domain/images/image-size.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import type { ImageWire } from '../../images/wire.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { textOrEmpty } from '../../shared/json/json-values.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { lossesOf } from '../../shared/media/image-request.ts';
import { jobFailed, unknownState } from '../../shared/tasks/job-answer.ts';
import type { NextRequest, WireAnswer, WireRequest } from '../../wire.ts';

const POLL_MS = 250;
const ID = /^job_[\w-]{1,6000}$/;

/** The sandbox's slow images (docs/sandbox.md): jobs that are polled until they are done. */
export const sandboxImages: ImageWire = {
  name: 'sandbox-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  harmlessOptions: ['delay_ms', 'outcome', 'fail_submit', 'poll_failures_ms', 'progress'],
  next,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

function encodeRequest(request: ImageRequest): WireRequest | Failure {
  const { prompt, count: n, options } = request;
  const lost = lossesOf(request, {
    mostInputs: 16,
    fileFormats: ['png'],
    carries: { mask: 'exact', seed: 'exact', negativePrompt: 'exact', quality: 'exact', user: 'exact' },
  });
  if (lost instanceof Failure) return lost;
  const body = { model: request.model, kind: 'image', prompt, n, resolution: askedSize(request), options };
  return { body: new TextEncoder().encode(JSON.stringify(body)), losses: lost };
}

/** Implements `PolledWire.next`. */
function next({ bytes }: WireAnswer): NextRequest | null | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const { id, status, error } = body;
  if (status === 'done') return null;
  if (status === 'refused') return contentRefused(textOrEmpty(error));
  if (status === 'failed') return jobFailed({ message: error });
  if ((status !== 'queued' && status !== 'working') || typeof id !== 'string' || !ID.test(id)) {
    return unknownState();
  }
  return { method: 'GET', url: `/jobs/${id}`, afterMs: POLL_MS, body: null };
}

function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const images = imagesOf(body.items, ({ base64, media_type: mediaType }) => ({ base64, mediaType }));
  if (images instanceof Failure) return images;
  const { resolution } = body;
  return { ...IMAGES_ALONE, images, size: typeof resolution === 'string' ? resolution : null };
}
