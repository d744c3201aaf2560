import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageQuality, ImageRequest } from '../../../domain/images/images.ts';
import { imageUrl, jsonRequest, lossesOf } from '../../shared/media/image-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';

const RATIOS = [
  ...['1:1', '1:2', '1:4', '1:8', '2:1', '2:3', '3:2', '3:4', '4:1', '4:3', '4:5', '5:4', '8:1'],
  ...['9:16', '16:9', '9:19.5', '19.5:9', '9:20', '20:9', '9:21', '21:9'],
];
const QUALITIES: Readonly<Record<ImageQuality, string>> = {
  auto: 'auto',
  low: 'low',
  standard: 'medium',
  medium: 'medium',
  high: 'high',
  hd: 'high',
  xhigh: 'high',
  max: 'high',
};

/** Encodes the request; `provider_options` become members of the body, such as `resolution` and `provider`. */
export async function encodeRequest(
  request: ImageRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const lost = lossesOf(request, {
    mostInputs: 16,
    fileFormats: ['png', 'jpeg', 'webp', 'svg'],
    carries: { seed: 'exact', quality: 'exact', background: 'exact', compression: 'exact' },
  });
  if (lost instanceof Failure) return lost;
  const { size } = request;
  const isSized = size !== null && size !== 'auto';
  // A size combined with a ratio that does not match is refused with a 400.
  const ratio: Chosen = isSized ? { value: null, losses: ratioLost(request) } : nearestRatio(request, RATIOS);
  const quality = request.quality === null ? null : QUALITIES[request.quality];
  const references = request.images.map(async (one) => ({
    type: 'image_url',
    image_url: { url: await imageUrl(one) },
  }));
  return jsonRequest(
    {
      model: upstreamModel,
      prompt: request.prompt,
      size: isSized ? `${size.width}x${size.height}` : null,
      aspect_ratio: ratio.value,
      quality,
      background: request.background,
      seed: request.seed,
      output_format: request.fileFormat,
      output_compression: request.compression,
      input_references: references.length === 0 ? null : await Promise.all(references),
    },
    request,
    [...lost, ...ratio.losses, ...qualityLost(request, quality)],
  );
}

function ratioLost({ aspectRatio }: ImageRequest): readonly Loss[] {
  if (aspectRatio === null) return [];
  return [{ field: 'aspect_ratio', verdict: 'dropped', why: 'the request also has `size`, which is more specific' }];
}

function qualityLost({ quality }: ImageRequest, sent: string | null): readonly Loss[] {
  if (quality === sent) return [];
  return [{ field: 'quality', verdict: 'approximated', why: `${quality} becomes ${sent}` }];
}
