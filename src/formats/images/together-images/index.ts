import { Failure } from '../../../domain/failure/failure.ts';
import { pixelsFor, sizeText } from '../../../domain/images/image-size.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import { decodeAnswer } from '../../shared/media/openai-image-answer.ts';
import { ruleModelOf } from '../../wire.ts';
import type { ImageWire } from '../wire.ts';

/** Together's `POST /images/generations` (its published document), which generates and edits. */
export const togetherImages: ImageWire = {
  name: 'together-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 4,
  // `steps` is left out because it has a price, and `image_loras` because it loads a model.
  harmlessOptions: ['guidance_scale'],
  asks(request) {
    return { size: sizeText({ ...pixelsFor(request, STEP).pixels }), quality: null };
  },
  /** Encodes the request; `provider_options` become members of the body, such as `steps`. */
  async encodeRequest(request, target) {
    const model = ruleModelOf(target);
    const hasSeed = !WITHOUT_SEED.test(model);
    const hasNegativePrompt = !WITHOUT_NEGATIVE_PROMPT.test(model);
    const lost = lossesOf(request, {
      mostInputs: mostInputs(model),
      fileFormats: ['jpeg', 'png'],
      carries: { ...(hasSeed && { seed: 'exact' }), ...(hasNegativePrompt && { negativePrompt: 'exact' }) },
    });
    if (lost instanceof Failure) return lost;
    const { pixels, losses } = pixelsFor(request, STEP);
    return jsonRequest(
      {
        model: target.upstreamModel,
        prompt: request.prompt,
        n: request.count === 1 ? null : request.count,
        width: pixels?.width,
        height: pixels?.height,
        seed: hasSeed ? request.seed : null,
        negative_prompt: hasNegativePrompt ? request.negativePrompt : null,
        output_format: request.fileFormat,
        response_format: request.responseFormat === 'b64_json' ? 'base64' : request.responseFormat,
        ...(await inputs(request, model)),
      },
      request,
      [...lost, ...losses],
    );
  },
  decodeAnswer,
  decodeFailure,
};

/** Models that start from one image, in a separate member. */
const ONE_IMAGE = /kontext/i;
/** Models that start from several images; the others accept only text (docs.together.ai, "FLUX.2 quickstart", "Images"). */
const SEVERAL_IMAGES = /FLUX\.2|gpt-image|gemini|flash-image|Seedream|Qwen-Image-Edit/i;
/** Parameters that the models' makers do not offer. */
const WITHOUT_SEED = /gpt-image/i;
const WITHOUT_NEGATIVE_PROMPT = /FLUX|gpt-image|gemini|flash-image|Seedream/i;
const MOST_REFERENCES = 8;
const STEP = 16;

function mostInputs(model: string): number {
  if (ONE_IMAGE.test(model)) return 1;
  return SEVERAL_IMAGES.test(model) ? MOST_REFERENCES : 0;
}

async function inputs({ images }: ImageRequest, model: string): Promise<Members> {
  if (images.length === 0) return {};
  const urls = await Promise.all(images.map(imageUrl));
  return ONE_IMAGE.test(model) ? { image_url: urls[0] } : { reference_images: urls };
}
