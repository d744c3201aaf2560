import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio } from '../../../domain/images/image-size.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { jsonRequest, lossesOf, mergeOptions } from '../../shared/media/image-request.ts';
import type { ImageWire } from '../wire.ts';

/**
 * Imagen's `predict` (Google Cloud, "Generate images with Imagen"). Google retired these models in August 2026, but other servers
 * with this API still serve other models.
 */
export const imagen: ImageWire = {
  name: 'imagen',
  operations: ['images.generations'],
  mostImages: () => 4,
  harmlessOptions: ['personGeneration', 'safetySetting', 'language', 'enhancePrompt'],
  /** Encodes the request; `provider_options` become members of `parameters`, such as `personGeneration`. */
  encodeRequest(request) {
    const lost = lossesOf(request, {
      mostInputs: 0,
      fileFormats: ['png', 'jpeg'],
      carries: {
        compression: 'exact',
        seed: { verdict: 'dropped', why: 'the provider accepts it only for images without its watermark' },
      },
    });
    if (lost instanceof Failure) return lost;
    const ratio = nearestRatio(request, RATIOS, SQUARE);
    const { fileFormat, compression } = request;
    const isFormed = fileFormat !== null || compression !== null;
    const parameters: Record<string, unknown> = {
      sampleCount: request.count,
      // Otherwise a filtered image would be missing without an explanation.
      includeRaiReason: true,
      ...(ratio.value !== null && { aspectRatio: ratio.value }),
      ...(isFormed && {
        outputOptions: {
          mimeType: `image/${fileFormat ?? 'jpeg'}`,
          ...(compression !== null && fileFormat !== 'png' && { compressionQuality: compression }),
        },
      }),
    };
    const problem = mergeOptions(parameters, request.options);
    if (problem !== null) return problem;
    const losses = [...lost, ...ratio.losses];
    return jsonRequest({ instances: [{ prompt: request.prompt }], parameters }, { options: {} }, losses);
  },
  /** Decodes predictions, each of which is an image or the reason why it was filtered out. */
  decodeAnswer({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const { predictions } = body;
    if (predictions !== undefined && !Array.isArray(predictions)) return bodyNoAnswer();
    const all: readonly unknown[] = predictions ?? [];
    // An answer without any prediction also means that all images were filtered out.
    if (all.every((one) => isRecord(one) && !('bytesBase64Encoded' in one) && 'raiFilteredReason' in one)) {
      return contentRefused(all.flatMap(reasonOf).join(' '));
    }
    const images = imagesOf(predictions, (one) =>
      'raiFilteredReason' in one && !('bytesBase64Encoded' in one)
        ? null
        : { base64: one.bytesBase64Encoded, mediaType: one.mimeType, revisedPrompt: one.prompt },
    );
    return images instanceof Failure ? images : { ...IMAGES_ALONE, images };
  },
  decodeFailure,
};

const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const SQUARE = { '1:1': '1024x1024' };

function reasonOf(prediction: unknown): readonly string[] {
  const reason = isRecord(prediction) ? prediction.raiFilteredReason : null;
  return typeof reason === 'string' ? [reason] : [];
}
