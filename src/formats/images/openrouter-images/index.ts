import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageQuality, ImageRequest, ImageTokens } from '../../../domain/images/images.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { countOf, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { imageUrl, jsonRequest, lossesOf } from '../../shared/media/image-request.ts';
import type { ImageWire } from '../wire.ts';

/**
 * OpenRouter's `POST /images` (its published document, `createImages`), which generates and edits. Many of the providers behind
 * it make one image at a time and refuse requests for more.
 */
export const openrouterImages: ImageWire = {
  name: 'openrouter-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 1,
  /** Encodes the request; `provider_options` become members of the body, such as `resolution` and `provider`. */
  async encodeRequest(request, { upstreamModel }) {
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
  },
  /**
   * Decodes `ImageGenerationResponse` of the published document: it always contains the images, and its token counts are like those
   * of chat.
   */
  decodeAnswer({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const images = imagesOf(body.data, (item) => ({
      base64: item.b64_json,
      url: item.url,
      mediaType: item.media_type,
    }));
    if (images instanceof Failure) return images;
    return { ...IMAGES_ALONE, images, created: countOf(body.created), tokens: tokensOf(body.usage) };
  },
  decodeFailure,
};

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

function ratioLost({ aspectRatio }: ImageRequest): readonly Loss[] {
  if (aspectRatio === null) return [];
  return [{ field: 'aspect_ratio', verdict: 'dropped', why: 'the request also has `size`, which is more specific' }];
}

function qualityLost({ quality }: ImageRequest, sent: string | null): readonly Loss[] {
  if (quality === sent) return [];
  return [{ field: 'quality', verdict: 'approximated', why: `${quality} becomes ${sent}` }];
}

/** Reads the tokens. The parts of the prompt are not distinguished; output tokens of no stated kind are the images'. */
function tokensOf(usage: unknown): ImageTokens | null {
  if (!isRecord(usage)) return null;
  const prompt = countOf(usage.prompt_tokens);
  const completion = countOf(usage.completion_tokens);
  if (prompt === null || completion === null || prompt + completion === 0) return null;
  const { image_tokens: image, reasoning_tokens: reasoning } = isRecord(usage.completion_tokens_details)
    ? usage.completion_tokens_details
    : {};
  const others = countOf(image) === null ? (countOf(reasoning) ?? 0) : completion - (countOf(image) ?? 0);
  const textOutput = Math.min(Math.max(0, others), completion);
  return { textInput: prompt, imageInput: 0, textOutput, imageOutput: completion - textOutput };
}
