import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio, sizeText } from '../../../domain/images/image-size.ts';
import type { ImageFileFormat, ImageRequest, ImageShape, PixelSize } from '../../../domain/images/images.ts';
import { imageUrl, lossesOf, type Members } from '../../shared/media/image-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { predictionRequest } from '../shared/replicate-predictions.ts';
import { type ModelSizes, type ReplicateModel, replicateModel } from './models.ts';

/** Formats with a different name. */
const FORMAT_NAMES: Readonly<Partial<Record<ImageFileFormat, string>>> = { jpeg: 'jpg' };

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, target: WireTarget): ImageShape {
  const { members } = sizeOf(request, replicateModel(ruleModelOf(target)).sizes);
  return { size: sizeText(members), quality: null };
}

/** Encodes the request; `provider_options` become members of `input`, which has all of a model's parameters. */
export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const model = replicateModel(ruleModelOf(target));
  const { hasSeed, hasNegativePrompt, hasQuality, several } = model;
  const lost = lossesOf(request, {
    mostInputs: model.edit?.most ?? 0,
    fileFormats: model.fileFormats,
    carries: {
      ...(hasSeed && { seed: 'exact' }),
      ...(hasNegativePrompt && { negativePrompt: 'exact' }),
      ...(hasQuality && { compression: 'exact' }),
    },
  });
  if (lost instanceof Failure) return lost;
  const sized = sizeOf(request, model.sizes);
  const known: Members = {
    prompt: request.prompt,
    ...sized.members,
    ...(await imagesOf(request, model)),
    ...(several !== null && { [several.member]: request.count }),
    negative_prompt: hasNegativePrompt ? request.negativePrompt : null,
    seed: hasSeed ? request.seed : null,
    output_format: request.fileFormat === null ? null : (FORMAT_NAMES[request.fileFormat] ?? request.fileFormat),
    output_quality: hasQuality ? request.compression : null,
  };
  return predictionRequest(target.upstreamModel, known, request.options, [...lost, ...sized.losses]);
}

interface Sized {
  readonly members: Members;
  readonly losses: readonly Loss[];
}

function sizeOf(request: ImageRequest, { ratios, pixels }: ModelSizes): Sized {
  const { size, aspectRatio } = request;
  if (pixels !== null && size !== null && size !== 'auto') {
    const made = within(size, pixels);
    const losses: Loss[] = [];
    if (made.width !== size.width || made.height !== size.height) {
      const why = `the model makes multiples of 32 from ${pixels.least} to ${pixels.most}: ${made.width}x${made.height}`;
      losses.push({ field: 'size', verdict: 'approximated', why });
    }
    if (aspectRatio !== null) {
      losses.push({
        field: 'aspect_ratio',
        verdict: 'dropped',
        why: 'the request also has `size`, which is more specific',
      });
    }
    return { members: { ...(pixels.custom && { aspect_ratio: 'custom' }), ...made }, losses };
  }
  if (ratios === null) {
    const why = 'the model needs a size in pixels: use `size`';
    return { members: {}, losses: aspectRatio === null ? [] : [{ field: 'aspect_ratio', verdict: 'dropped', why }] };
  }
  const { value, losses } = nearestRatio(request, ratios);
  return { members: { aspect_ratio: value }, losses };
}

const STEP = 32;

function within({ width, height }: PixelSize, { least, most }: { least: number; most: number }): PixelSize {
  const side = (pixels: number) => {
    const rounded = Math.round(pixels / STEP) * STEP;
    return Math.min(Math.floor(most / STEP) * STEP, Math.max(least, rounded));
  };
  return { width: side(width), height: side(height) };
}

async function imagesOf({ images }: ImageRequest, { edit }: ReplicateModel): Promise<Members> {
  if (edit === null || images.length === 0) return {};
  const urls = await Promise.all(images.map(imageUrl));
  return { [edit.member]: edit.isList ? urls : urls[0] };
}
