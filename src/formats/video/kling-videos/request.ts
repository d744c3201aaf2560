import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { isRecord } from '../../shared/json/record.ts';
import { imageBase64, jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { JobContext } from '../../shared/tasks/wire.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { type ChosenShape, shapeByImage, videoShape } from '../shared/video-shape.ts';
import { type KlingModel, klingModel } from './models.ts';

/** The endpoints, each of which has its own job URLs. */
export const KLING_PATHS = ['text2video', 'image2video', 'multi-image2video'] as const;
export type KlingPath = (typeof KLING_PATHS)[number];

export function pathOf({ referenceImages, firstImage, lastImage }: VideoRequest): KlingPath {
  if (referenceImages.length > 0) return 'multi-image2video';
  return firstImage === null && lastImage === null ? 'text2video' : 'image2video';
}

const MODES = ['std', 'pro', '4k'] as const;
type Mode = (typeof MODES)[number];
const MODE_OF: Readonly<Record<string, Mode>> = { '720p': 'std', '1080p': 'pro', '4k': '4k' };
const RESOLUTION_OF: Readonly<Record<Mode, string>> = { std: '720p', pro: '1080p', '4k': '4k' };

const RATIOS = ['16:9', '9:16', '1:1'];
/** The default length (Kling's document). */
const USUAL_SECONDS = 5;
const MOST_REFERENCES = 4;
const MOST_SHOTS = 20;

/** The sent values of everything that affects the price. */
interface Plan {
  readonly mode: Mode;
  /** `null`: the member is not sent, and there is no sound. */
  readonly sound: 'on' | 'off' | null;
  readonly seconds: number;
  readonly ratio: string | null;
  readonly losses: readonly Loss[];
}

/** Implements `TaskWire.asks`. The price rises with the mode (`pro`; its resolution says `4k`), the length and sound. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = klingModel(upstreamModel);
  const { mode, sound, seconds } = planOf(request, model);
  const traits = [...(mode === 'pro' ? ['pro'] : []), ...(sound === 'on' ? ['audio'] : [])];
  return {
    count: 1,
    seconds,
    resolution: model.onlyResolution ?? RESOLUTION_OF[mode],
    traits,
    address: pathOf(request),
  };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
  { reference }: JobContext,
): Promise<WireRequest | Failure> {
  const model = klingModel(upstreamModel);
  const path = pathOf(request);
  const problem = optionRefused(request) ?? imagesRefused(request);
  if (problem !== null) return problem;
  const hasSound = model.hasSound && path !== 'multi-image2video';
  const lost = videoLosses(request, {
    negativePrompt: 'exact',
    firstImage: 'exact',
    lastImage: 'exact',
    referenceImages: 'exact',
    ...{ duration: 'exact', ...SHAPE },
    ...(hasSound && { audio: 'exact' }),
  });
  if (lost instanceof Failure) return lost;
  const plan = planOf(request, model);
  const unfit = shotsRefused(request.options, plan);
  if (unfit !== null) return unfit;
  const members: Members = {
    model_name: upstreamModel,
    prompt: request.prompt === '' ? null : request.prompt,
    negative_prompt: request.negativePrompt,
    ...(await imagesOf(request)),
    mode: plan.mode,
    sound: plan.sound,
    duration: String(plan.seconds),
    aspect_ratio: plan.ratio,
    external_task_id: reference,
  };
  return jsonRequest(members, { options: unreadOptions(request) }, [...lost, ...plan.losses], {
    suffix: `/videos/${path}`,
  });
}

/** Returns the options that are not written from elsewhere: two settings for one thing are refused. */
function unreadOptions({ options, audio }: VideoRequest): Members {
  const { mode, sound, ...others } = options;
  return audio === null || sound === undefined ? others : { ...others, sound };
}

function planOf(request: VideoRequest, model: KlingModel): Plan {
  const path = pathOf(request);
  const { resolutions, hasAnyRatio } = model;
  const shape =
    path === 'image2video'
      ? shapeByImage(request, resolutions)
      : videoShape(request, { ratios: hasAnyRatio ? null : RATIOS, resolutions });
  const sound = soundOf(request, model, path);
  const chosen = modeOf(request, model, shape, sound);
  const length = lengthOf(request, model);
  return {
    mode: chosen.mode,
    sound,
    seconds: length.seconds,
    ratio: shape.ratio,
    losses: [...shape.losses, ...chosen.losses, ...length.losses],
  };
}

function soundOf({ audio, options }: VideoRequest, model: KlingModel, path: KlingPath): 'on' | 'off' | null {
  if (path === 'multi-image2video') return null;
  // A model without sound refuses the option itself.
  if (audio === null && isSound(options.sound)) return options.sound;
  if (!model.hasSound) return null;
  if (audio !== null) return audio ? 'on' : 'off';
  return model.writesSound ? 'off' : null;
}

function isSound(value: unknown): value is 'on' | 'off' {
  return value === 'on' || value === 'off';
}

function modeOf(
  request: VideoRequest,
  model: KlingModel,
  shape: ChosenShape,
  sound: string | null,
): { readonly mode: Mode; readonly losses: readonly Loss[] } {
  const option = MODES.find((mode) => mode === request.options.mode);
  const byResolution =
    model.onlyResolution === null && shape.resolution !== null ? MODE_OF[shape.resolution] : undefined;
  if (option === undefined) {
    return { mode: byResolution ?? (sound === 'on' && model.soundIsPro ? 'pro' : 'std'), losses: [] };
  }
  if (byResolution === undefined || byResolution === option) return { mode: option, losses: [] };
  const why = `\`provider_options.mode\` is more specific: ${RESOLUTION_OF[option]}`;
  const field = request.size === null ? 'resolution' : 'size';
  return { mode: option, losses: [{ field, verdict: 'approximated', why }] };
}

function lengthOf(request: VideoRequest, { lengths }: KlingModel) {
  const asked = request.durationSeconds ?? shotSeconds(request.options.multi_prompt);
  const { seconds, losses } = nearestLength({ durationSeconds: asked }, lengths ?? { least: 1, most: 600 });
  return { seconds: seconds ?? USUAL_SECONDS, losses };
}

/** Returns the total length of all shots in `multi_prompt`; `null` if it cannot be read. */
function shotSeconds(shots: unknown): number | null {
  if (!Array.isArray(shots) || shots.length === 0 || shots.length > MOST_SHOTS) return null;
  let sum = 0;
  for (const shot of shots) {
    const seconds = isRecord(shot) ? Number(shot.duration) : Number.NaN;
    if (!Number.isInteger(seconds) || seconds < 1) return null;
    sum += seconds;
  }
  return sum;
}

/** Refuses options that the gateway does not understand and that could cost more than is charged. */
function optionRefused(request: VideoRequest): Failure | null {
  const { mode, sound } = request.options;
  if (mode !== undefined && !MODES.some((known) => known === mode)) {
    return refused('provider_options.mode', `it must be one of ${MODES.join(', ')}`);
  }
  if (sound !== undefined && !isSound(sound)) return refused('provider_options.sound', 'it must be `on` or `off`');
  if (sound !== undefined && pathOf(request) === 'multi-image2video') {
    return refused('provider_options.sound', 'videos from reference images have no sound');
  }
  return null;
}

function shotsRefused({ multi_prompt: shots }: VideoRequest['options'], { seconds }: Plan): Failure | null {
  if (shots === undefined) return null;
  const sum = shotSeconds(shots);
  const field = 'provider_options.multi_prompt';
  if (sum === null) return refused(field, 'it must be a list of shots, each with a `duration` in whole seconds');
  return sum === seconds
    ? null
    : refused(field, `its shots take ${sum} seconds in total, but the video takes ${seconds}`);
}

function imagesRefused({ referenceImages, firstImage, lastImage }: VideoRequest): Failure | null {
  if (referenceImages.length === 0) return null;
  const field = 'reference_image_urls';
  if (firstImage !== null || lastImage !== null) {
    return refused(field, 'the provider of this model accepts either reference images or a first and last image');
  }
  if (referenceImages.length <= MOST_REFERENCES) return null;
  return refused(field, `the provider of this model accepts at most ${MOST_REFERENCES} images`);
}

async function imagesOf({ referenceImages, firstImage, lastImage }: VideoRequest): Promise<Members> {
  if (referenceImages.length > 0) {
    const images = await Promise.all(referenceImages.map(klingImage));
    return { image_list: images.map((image) => ({ image })) };
  }
  return {
    image: firstImage === null ? null : await klingImage(firstImage),
    image_tail: lastImage === null ? null : await klingImage(lastImage),
  };
}

/** Returns a URL, or base64 without the prefix of a `data:` URI. */
async function klingImage(input: ImageInput): Promise<string> {
  return input.kind === 'url' ? input.url : (await imageBase64(input)).base64;
}
