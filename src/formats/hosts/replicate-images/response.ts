import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer } from '../../../domain/images/images.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { textOrNull } from '../../shared/json/json-values.ts';
import { IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { jobWithoutId } from '../../shared/tasks/job-answer.ts';
import type { NextRequest, WireAnswer } from '../../wire.ts';
import { predictionFailure, predictionPath, readPrediction } from '../shared/replicate-predictions.ts';

const POLL_MS = 500;

/** Implements `PolledWire.next`. */
export function nextPrediction(answer: WireAnswer): NextRequest | null | Failure {
  const prediction = readPrediction(answer);
  if (prediction instanceof Failure) return prediction;
  if (prediction.state === 'failed') return prediction.failure;
  if (prediction.state === 'done') return null;
  if (prediction.id === null) return jobWithoutId();
  return { method: 'GET', url: predictionPath(prediction.id), afterMs: POLL_MS, body: null };
}

/** Decodes the output, which is one URL or a list of URLs. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const { output, model } = body;
  const list: unknown = typeof output === 'string' ? [output] : output;
  const items = Array.isArray(list) ? list.map((url) => ({ url })) : list;
  const images = imagesOf(items, ({ url }) => ({ url }));
  if (images instanceof Failure) return images;
  return { ...IMAGES_ALONE, images, model: textOrNull(model) };
}

/** Members of `input` that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  width: 'size',
  height: 'size',
  num_outputs: 'n',
  output_quality: 'output_compression',
  input_image: 'image',
  input_images: 'image',
  image_input: 'image',
};

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  return predictionFailure(status, headers, bytes, CLIENTS_NAMES);
}
