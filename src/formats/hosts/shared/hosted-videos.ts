import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { entryOf } from '../../shared/json/record.ts';
import { imageUrl, refused } from '../../shared/media/image-request.ts';
import {
  type Carrying,
  type Lengths,
  nearestLength,
  SHAPE,
  type VideoKnob,
  videoLosses,
} from '../../shared/tasks/generation-request.ts';
import { shapeByImage, videoShape } from '../../video/shared/video-shape.ts';
import type { HostedInput, HostedKind } from './hosted.ts';

/*
 * Video requests to providers that host models of many vendors: the models have the same abilities under different names and
 * values. A table has these for known models; for others the client's values are sent under the most common names.
 */

export interface VideoModel {
  /** The member for the first image; like the other members, `null` if the model does not have it. */
  readonly firstImage: string | null;
  readonly lastImage: string | null;
  readonly references: { readonly member: string; readonly most: number } | null;
  readonly video: string | null;
  /** Like the others, `null` if unknown. */
  readonly length: LengthRule | null;
  readonly ratio: RatioRule | null;
  readonly resolution: ResolutionRule | null;
  readonly sound: SoundRule;
  readonly hasNegativePrompt: boolean;
  readonly hasSeed: boolean;
}

export interface LengthRule {
  /** `null` if every video has the same length. */
  readonly member: string | null;
  readonly lengths: Lengths | 'any';
  /** The length in seconds that is sent if the client gives none; `null` leaves it to the model. */
  readonly usual: number | null;
  /** How five seconds are written: `5`, `"5"`, `"5s"`, or as frames, one more than `fps` gives. */
  readonly as: 'number' | 'text' | 'text with s' | { readonly fps: number };
}

export interface RatioRule {
  readonly member: string;
  readonly ratios: readonly string[] | 'any';
  /** Whether a video with a first image has the image's shape. */
  readonly isOfImage: boolean;
}

export interface ResolutionRule {
  /** `null` if every video has the same resolution. */
  readonly member: string | null;
  /** The model's names, keyed by the gateway's (`720p`, `4k`). */
  readonly words: Readonly<Record<string, string>> | 'any';
  /** The resolution that is sent if the client gives none; `null` leaves it to the model. */
  readonly usual: string | null;
}

export type SoundRule =
  /** `usual` is sent if the client says nothing; `null` leaves it to the model. */
  { readonly member: string; readonly usual: boolean | null } | 'always' | 'never';

export const HOSTED_VIDEOS: HostedKind<VideoRequest, VideoModel> = {
  kind: 'video',
  wire: { operations: ['videos.generations'], takesUrls: true },
  // Everything that may affect the price is sent to known models, even if the client does not set it.
  asks: (request, model) => planOf(request, model).asked,
  input,
};

async function input(request: VideoRequest, model: VideoModel): Promise<HostedInput | Failure> {
  const { firstImage, lastImage, referenceImages } = request;
  const lost = videoLosses(request, carriesOf(model));
  if (lost instanceof Failure) return lost;
  const { references } = model;
  if (references !== null && referenceImages.length > references.most) {
    return refused('reference_image_urls', `the model accepts at most ${references.most} of them`);
  }
  const plan = planOf(request, model);
  const members = {
    prompt: request.prompt === '' ? null : request.prompt,
    ...plan.members,
    negative_prompt: model.hasNegativePrompt ? request.negativePrompt : null,
    seed: model.hasSeed ? request.seed : null,
    ...(model.firstImage !== null && firstImage !== null && { [model.firstImage]: await imageUrl(firstImage) }),
    ...(model.lastImage !== null && lastImage !== null && { [model.lastImage]: await imageUrl(lastImage) }),
    ...(references !== null &&
      referenceImages.length > 0 && { [references.member]: await Promise.all(referenceImages.map(imageUrl)) }),
    ...(model.video !== null && { [model.video]: request.videoUrl }),
  };
  return { members, losses: [...lost, ...plan.losses] };
}

function carriesOf(model: VideoModel): Carrying<VideoKnob> {
  return {
    ...(model.firstImage !== null && { firstImage: 'exact' }),
    ...(model.lastImage !== null && { lastImage: 'exact' }),
    ...(model.references !== null && { referenceImages: 'exact' }),
    ...(model.video !== null && { videoUrl: 'exact' }),
    ...(model.length !== null && { duration: 'exact' }),
    ...(model.sound !== 'never' && { audio: 'exact' }),
    ...(model.hasNegativePrompt && { negativePrompt: 'exact' }),
    ...(model.hasSeed && { seed: 'exact' }),
    ...SHAPE,
  };
}

/** Returns the members that are sent, except for images. */
function planOf(request: VideoRequest, model: VideoModel): HostedInput & { readonly asked: AskedWork } {
  const length = lengthOf(request, model.length);
  const shape = shapeOf(request, model);
  const sound = soundOf(request, model.sound);
  const traits = sound.hasSound ? ['audio'] : [];
  return {
    members: { ...length.members, ...shape.members, ...sound.members },
    losses: [...length.losses, ...shape.losses, ...sound.losses],
    asked: { count: 1, seconds: length.seconds, resolution: shape.resolution, traits },
  };
}

const NOTHING: HostedInput = { members: {}, losses: [] };

function lengthOf(request: VideoRequest, rule: LengthRule | null): HostedInput & { readonly seconds: number | null } {
  if (rule === null) return { ...NOTHING, seconds: null };
  const made =
    rule.lengths === 'any' ? { seconds: request.durationSeconds, losses: [] } : nearestLength(request, rule.lengths);
  const seconds = made.seconds ?? rule.usual;
  const { losses } = made;
  if (seconds === null || rule.member === null) return { members: {}, losses, seconds };
  if (typeof rule.as === 'object') {
    const frames = Math.round(seconds * rule.as.fps) + 1;
    return { members: { [rule.member]: frames }, losses, seconds: frames / rule.as.fps };
  }
  const written = { number: seconds, text: `${seconds}`, 'text with s': `${seconds}s` }[rule.as];
  return { members: { [rule.member]: written }, losses, seconds };
}

function shapeOf(
  request: VideoRequest,
  { ratio: rule, resolution, firstImage }: VideoModel,
): HostedInput & { readonly resolution: string | null } {
  const words = resolution === null ? {} : resolution.words;
  const resolutions = words === 'any' ? null : Object.keys(words);
  const isOfImage = rule?.isOfImage === true && firstImage !== null && request.firstImage !== null;
  const shape =
    rule === null || isOfImage
      ? shapeByImage(request, resolutions, isOfImage ? undefined : 'the model accepts neither a size nor a ratio')
      : videoShape(request, { ratios: rule.ratios === 'any' ? null : rule.ratios, resolutions });
  const made = shape.resolution ?? resolution?.usual ?? null;
  const sent = made === null || words === 'any' ? made : (entryOf(words, made) ?? null);
  const member = resolution?.member ?? null;
  return {
    members: { ...(member !== null && { [member]: sent }), ...(rule !== null && { [rule.member]: shape.ratio }) },
    losses: shape.losses,
    resolution: made,
  };
}

function soundOf({ audio }: VideoRequest, rule: SoundRule): HostedInput & { readonly hasSound: boolean } {
  if (rule === 'never') return { ...NOTHING, hasSound: false };
  if (rule === 'always') {
    const why = 'the model’s videos always have sound';
    const losses: Loss[] = audio === false ? [{ field: 'audio', verdict: 'approximated', why }] : [];
    return { members: {}, losses, hasSound: true };
  }
  const sent = audio ?? rule.usual;
  return { members: { [rule.member]: sent }, losses: [], hasSound: sent === true };
}

// ---- parts of tables

/** Returns the rules for an unknown model: it accepts what most do. `images` is the name of the first image's member. */
export function usualVideo(images: string, lastImage: string, references: string, video: string): VideoModel {
  return {
    firstImage: images,
    lastImage,
    references: { member: references, most: 16 },
    video,
    length: { member: 'duration', lengths: 'any', usual: null, as: 'number' },
    ratio: { member: 'aspect_ratio', ratios: 'any', isOfImage: false },
    resolution: { member: 'resolution', words: 'any', usual: null },
    sound: { member: 'generate_audio', usual: null },
    hasNegativePrompt: true,
    hasSeed: true,
  };
}

/** A model that makes a video from text and accepts nothing else: the base for the tables. */
export const TEXT_ALONE: VideoModel = {
  firstImage: null,
  lastImage: null,
  references: null,
  video: null,
  length: null,
  ratio: null,
  resolution: null,
  sound: 'never',
  hasNegativePrompt: false,
  hasSeed: false,
};

export function seconds(lengths: Lengths, usual: number, as: LengthRule['as'] = 'number'): LengthRule {
  return { member: 'duration', lengths, usual, as };
}

export function fixedLength(length: number): LengthRule {
  return { member: null, lengths: [length], usual: length, as: 'number' };
}

export function shapes(ratios: readonly string[], isOfImage: boolean): RatioRule {
  return { member: 'aspect_ratio', ratios, isOfImage };
}

/** Returns the rule for resolutions that have the client's own names; the first one is sent if the client gives none. */
export function heights(...[usual, ...others]: readonly [string, ...string[]]): ResolutionRule {
  return { member: 'resolution', words: Object.fromEntries([usual, ...others].map((word) => [word, word])), usual };
}

export function fixedHeight(height: string): ResolutionRule {
  return { member: null, words: { [height]: height }, usual: height };
}
