import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio, pixelsOf, sizeText } from '../../../domain/images/image-size.ts';
import type { ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import { isRecord } from '../../shared/json/record.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { falPath } from '../shared/fal-queue.ts';
import { type FalModel, falModel } from './models.ts';

const MEGAPIXEL = 1_048_576;

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, target: WireTarget): ImageShape {
  const { members } = sizeOf(request, falModel(ruleModelOf(target)));
  return { size: sizeText(isRecord(members.image_size) ? members.image_size : members), quality: null };
}

export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const model = falModel(ruleModelOf(target));
  const { edit, fileFormats, hasSeed, hasNegativePrompt } = model;
  const lost = lossesOf(request, {
    mostInputs: edit?.most ?? 0,
    fileFormats,
    carries: { ...(hasSeed && { seed: 'exact' }), ...(hasNegativePrompt && { negativePrompt: 'exact' }) },
  });
  if (lost instanceof Failure) return lost;
  const sized = sizeOf(request, model);
  const members: Members = {
    prompt: request.prompt,
    ...sized.members,
    ...(await imagesOf(request, model)),
    num_images: model.mostImages > 1 ? request.count : null,
    negative_prompt: hasNegativePrompt ? request.negativePrompt : null,
    seed: hasSeed ? request.seed : null,
    output_format: request.fileFormat,
  };
  const id = (request.kind === 'edit' ? edit?.id : model.generation) ?? target.upstreamModel;
  return jsonRequest(members, request, [...lost, ...sized.losses], { suffix: falPath(id) });
}

function sizeOf(request: ImageRequest, { sizes }: FalModel): { members: Members; losses: readonly Loss[] } {
  const { size, aspectRatio } = request;
  if (sizes === 'image_size') {
    if (size !== null && size !== 'auto') {
      const why = 'the request also has `size`, which is more specific';
      const losses: Loss[] = aspectRatio === null ? [] : [{ field: 'aspect_ratio', verdict: 'dropped', why }];
      return { members: { image_size: { width: size.width, height: size.height } }, losses };
    }
    if (aspectRatio === null) return { members: {}, losses: [] };
    return { members: { image_size: pixelsOf(aspectRatio, MEGAPIXEL, 16) }, losses: [] };
  }
  const { value, losses } = nearestRatio(request, sizes ?? []);
  return { members: { aspect_ratio: value }, losses };
}

async function imagesOf({ images }: ImageRequest, { edit }: FalModel): Promise<Members> {
  if (edit === null || images.length === 0) return {};
  const urls = await Promise.all(images.map(imageUrl));
  return edit.member === 'image_url' ? { image_url: urls[0] } : { image_urls: urls };
}
