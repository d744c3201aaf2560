import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { jsonRequest, lossesOf, mergeOptions } from '../../shared/media/image-request.ts';
import type { WireRequest } from '../../wire.ts';

const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const SQUARE = { '1:1': '1024x1024' };

/** Encodes the request; `provider_options` become members of `parameters`, such as `personGeneration`. */
export function encodeRequest(request: ImageRequest): WireRequest | Failure {
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
}
