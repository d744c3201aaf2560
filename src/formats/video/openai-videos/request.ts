import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestSize, pairOf } from '../../../domain/images/image-size.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { formRequest, imagePart } from '../../shared/media/image-form.ts';
import { jsonRequest, type Members, refused, reservedOptions } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { linesOf, nearestResolution, resolutionOf } from '../shared/video-shape.ts';
import { DEFAULT_RESOLUTION, DEFAULT_SECONDS, type VideoModel, videoModel } from './models.ts';

/** Implements `TaskWire.asks`. Default values are known only for OpenAI's own models. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = videoModel(upstreamModel);
  const size = sizeFor(request, model).value;
  const pixels = size === null ? null : pairOf(size, 'x');
  const seconds = lengthFor(request, model).seconds ?? (model === null ? null : DEFAULT_SECONDS);
  if (pixels === null) return { count: 1, seconds, resolution: model === null ? null : DEFAULT_RESOLUTION };
  return { count: 1, seconds, resolution: resolutionOf(pixels) };
}

const OWN_CHOICE = { verdict: 'dropped', why: 'the API does not have this field; the model decides' } as const;
const ALWAYS_SOUND: Loss = { field: 'audio', verdict: 'dropped', why: 'the videos of this model always have sound' };
const UNSAID_SOUND: Loss = { field: 'audio', ...OWN_CHOICE };

/**
 * Implements `TaskWire.encodeRequest`. An image that the gateway holds is sent as a form file, which has no length limit;
 * everything else is JSON. `provider_options` are further members.
 */
export function encodeRequest(request: VideoRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const model = videoModel(upstreamModel);
  const lost = videoLosses(request, {
    firstImage: 'exact',
    ...{ duration: 'exact', ...SHAPE },
    audio: model === null ? OWN_CHOICE : 'exact',
    ...(model === null && { negativePrompt: 'exact', seed: 'exact' }),
    videoUrl: { verdict: 'refused', why: 'the API can change only videos that it made' },
  });
  if (lost instanceof Failure) return lost;
  if (request.prompt === '') return refused('prompt', 'the API does not accept an empty prompt');
  const taken = reservedOptions(request.options, ['model', 'prompt', 'seconds', 'size']);
  if (taken !== null) return taken;
  const size = sizeFor(request, model);
  const length = lengthFor(request, model);
  const losses = [...lost, ...size.losses, ...length.losses, ...soundLosses(request, model)];
  const members: Members = {
    model: upstreamModel,
    prompt: request.prompt,
    // A text of digits, as documented.
    seconds: length.seconds === null ? null : String(length.seconds),
    size: size.value,
    ...(model === null && { negative_prompt: request.negativePrompt, seed: request.seed }),
  };
  const { firstImage } = request;
  if (firstImage === null) return jsonRequest(members, request, losses);
  if (firstImage.kind === 'url') {
    return jsonRequest({ ...members, input_reference: { image_url: firstImage.url } }, request, losses);
  }
  return formRequest(members, [imagePart('input_reference', firstImage)], request, losses);
}

function soundLosses({ audio }: VideoRequest, model: VideoModel | null): readonly Loss[] {
  if (audio !== false) return [];
  return [model === null ? UNSAID_SOUND : ALWAYS_SOUND];
}

function lengthFor(request: VideoRequest, model: VideoModel | null): ReturnType<typeof nearestLength> {
  return model === null ? { seconds: request.durationSeconds, losses: [] } : nearestLength(request, model.seconds);
}

function sizeFor(
  request: VideoRequest,
  model: VideoModel | null,
): { readonly value: string | null; readonly losses: readonly Loss[] } {
  const { size, aspectRatio, resolution } = request;
  if (size === null && aspectRatio === null && resolution === null) return { value: null, losses: [] };
  if (model === null) return { value: pixelsFor(request), losses: [] };
  if (size !== null) return nearestSize(request, Object.values(model.sizes).flat());
  const chosen = nearestResolution(resolution ?? DEFAULT_RESOLUTION, Object.keys(model.sizes)) ?? DEFAULT_RESOLUTION;
  const sizes = model.sizes[chosen] ?? [];
  const why = `the model makes ${Object.values(model.sizes).flat().join(', ')}`;
  const losses: Loss[] =
    resolution === null || chosen === resolution ? [] : [{ field: 'resolution', verdict: 'approximated', why }];
  const { value, losses: more } = nearestSize({ size: null, aspectRatio }, sizes);
  return { value: value ?? sizes[0] ?? null, losses: [...losses, ...more] };
}

const DEFAULT_LINES = 720;

/** Returns an even number of pixels, which video encoders need. The default is landscape, because most models make 16:9. */
function pixelsFor({ size, aspectRatio, resolution }: VideoRequest): string {
  if (size !== null) return `${size.width}x${size.height}`;
  const lines = (resolution === null ? null : linesOf(resolution)) ?? DEFAULT_LINES;
  const { width, height } = pairOf(aspectRatio ?? '16:9', ':') ?? { width: 16, height: 9 };
  const scale = lines / Math.min(width, height);
  const even = (side: number) => 2 * Math.round((side * scale) / 2);
  return `${even(width)}x${even(height)}`;
}
