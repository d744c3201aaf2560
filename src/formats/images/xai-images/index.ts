import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageQuality, ImageRequest } from '../../../domain/images/images.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import { ruleModelOf } from '../../wire.ts';
import type { ImageWire } from '../wire.ts';

/**
 * xAI's `/images/generations` and `/images/edits` (docs.x.ai, "Image Generation", "Multi-Image Editing"). They resemble OpenAI's,
 * but use ratios instead of sizes, and take an edit as JSON.
 */
export const xaiImages: ImageWire = {
  name: 'xai-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 10,
  /** Prices do not depend on the size. */
  asks(request, target) {
    return { size: null, quality: qualityFor(request, WITH_QUALITY.test(ruleModelOf(target))).value };
  },
  /** Encodes the request; `provider_options` become members of the body, such as `resolution`. */
  async encodeRequest(request, target) {
    const hasQuality = WITH_QUALITY.test(ruleModelOf(target));
    const lost = lossesOf(request, {
      mostInputs: 3,
      fileFormats: [],
      carries: { user: 'exact', ...(hasQuality && { quality: 'exact' }) },
      inputs: { formats: PNG_JPEG_WEBP },
    });
    if (lost instanceof Failure) return lost;
    const ratio = ratioFor(request);
    const quality = qualityFor(request, hasQuality);

    return jsonRequest(
      {
        model: target.upstreamModel,
        prompt: request.prompt,
        n: request.count === 1 ? null : request.count,
        aspect_ratio: ratio.value,
        quality: quality.value,
        response_format: request.responseFormat,
        user: request.user,
        ...(await inputs(request)),
      },
      request,
      [...lost, ...ratio.losses, ...quality.losses],
      { suffix: request.images.length === 0 ? '/generations' : '/edits' },
    );
  },
  /** Decodes the answer. An image that the filter has removed is marked, and has no URL. */
  decodeAnswer({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const { data } = body;
    if (Array.isArray(data) && data.length > 0 && data.every(isFiltered)) {
      return contentRefused('The provider’s moderation removed the image.');
    }
    const images = imagesOf(data, (item) =>
      isFiltered(item)
        ? null
        : { base64: item.b64_json, url: item.url, mediaType: item.mime_type, revisedPrompt: item.revised_prompt },
    );
    if (images instanceof Failure) return images;
    return { ...IMAGES_ALONE, images, model: typeof body.model === 'string' ? body.model : null };
  },
  decodeFailure,
};

const RATIOS = [
  ...['1:1', '3:4', '4:3', '9:16', '16:9', '2:3', '3:2'],
  ...['9:19.5', '19.5:9', '9:20', '20:9', '1:2', '2:1'],
];

/** Only the second generation has qualities; the first one refuses the member. */
const WITH_QUALITY = /imagine-image-(?:2|[3-9])/;
const QUALITIES: Readonly<Record<ImageQuality, string | null>> = {
  low: 'low',
  standard: 'medium',
  medium: 'medium',
  high: 'medium',
  hd: 'medium',
  xhigh: 'medium',
  max: 'medium',
  auto: null,
};

/** Returns the ratio. The edit of a single image keeps that image's ratio. */
function ratioFor(request: ImageRequest): Chosen {
  const chosen = nearestRatio(request, RATIOS);
  if (request.images.length !== 1 || chosen.value === null) return chosen;
  const why = 'an edit has the same size as its image';
  const field = chosen.losses.find((loss) => loss.field === 'size') === undefined ? 'aspect_ratio' : 'size';
  return {
    value: null,
    losses: [...chosen.losses.filter((loss) => loss.field !== field), { field, verdict: 'dropped', why }],
  };
}

function qualityFor({ quality }: ImageRequest, hasQuality: boolean): Chosen {
  if (quality === null || !hasQuality) return { value: null, losses: [] };
  const value = QUALITIES[quality];
  const losses: Loss[] = [];
  if (value !== null && value !== quality) {
    losses.push({ field: 'quality', verdict: 'approximated', why: `${quality} becomes ${value}` });
  }
  return { value, losses };
}

async function inputs({ images }: ImageRequest): Promise<Members> {
  const written = await Promise.all(images.map(async (one) => ({ type: 'image_url', url: await imageUrl(one) })));
  const [first] = written;
  return written.length > 1 ? { images: written } : { image: first };
}

function isFiltered(item: unknown): boolean {
  return isRecord(item) && item.respect_moderation === false && !item.url && !item.b64_json;
}
