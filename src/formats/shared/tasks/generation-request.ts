import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type {
  GenerationRequest,
  MusicRequest,
  ThreeDRequest,
  VideoRequest,
} from '../../../domain/tasks/generation-request.ts';
import { refused } from '../media/image-request.ts';

/* Shared by video, music and 3D wires that write their own body. */

/**
 * A request member that not every wire carries: the client's name for it, whether it was requested, and the default without it.
 */
interface Knob<Request> {
  readonly field: string;
  isAsked(request: Request): boolean;
  readonly without: Carriage;
}

type Knobs<Request> = Readonly<Record<string, Knob<Request>>>;

const DROPPED: Carriage = { verdict: 'dropped', why: 'the provider of this model does not support this field' };
const no = (why: string): Carriage => ({ verdict: 'refused', why: `the provider of this model ${why}` });

const VIDEO_KNOBS = {
  negativePrompt: { field: 'negative_prompt', isAsked: (of) => isSaid(of.negativePrompt), without: DROPPED },
  firstImage: {
    field: 'image_url',
    isAsked: (of) => of.firstImage !== null,
    without: no('cannot begin a video with an image'),
  },
  lastImage: {
    field: 'end_image_url',
    isAsked: (of) => of.lastImage !== null,
    without: no('cannot end a video with an image'),
  },
  referenceImages: {
    field: 'reference_image_urls',
    isAsked: (of) => of.referenceImages.length > 0,
    without: no('does not accept reference images'),
  },
  videoUrl: { field: 'video_url', isAsked: (of) => of.videoUrl !== null, without: no('cannot change a video') },
  duration: { field: 'duration', isAsked: (of) => of.durationSeconds !== null, without: DROPPED },
  aspectRatio: { field: 'aspect_ratio', isAsked: (of) => of.aspectRatio !== null, without: DROPPED },
  resolution: { field: 'resolution', isAsked: (of) => of.resolution !== null, without: DROPPED },
  size: { field: 'size', isAsked: (of) => of.size !== null, without: DROPPED },
  count: { field: 'n', isAsked: (of) => of.count > 1, without: no('makes one video per request') },
  seed: { field: 'seed', isAsked: (of) => of.seed !== null, without: DROPPED },
  audio: { field: 'audio', isAsked: (of) => of.audio === true, without: no('makes videos without sound') },
  user: { field: 'user', isAsked: (of) => isSaid(of.user), without: DROPPED },
} as const satisfies Knobs<VideoRequest>;

const MUSIC_KNOBS = {
  title: { field: 'title', isAsked: (of) => isSaid(of.title), without: DROPPED },
  tags: { field: 'tags', isAsked: (of) => isSaid(of.tags), without: DROPPED },
  lyrics: {
    field: 'action',
    isAsked: (of) => of.action === 'LYRICS',
    without: no('does not write lyrics without music'),
  },
  mv: { field: 'mv', isAsked: (of) => isSaid(of.mv), without: DROPPED },
  continueClipId: {
    field: 'continue_clip_id',
    isAsked: (of) => isSaid(of.continueClipId),
    without: no('cannot continue a clip'),
  },
  continueAtSeconds: {
    field: 'continue_at',
    isAsked: (of) => of.continueAtSeconds !== null,
    without: no('cannot continue a clip'),
  },
  user: { field: 'user', isAsked: (of) => isSaid(of.user), without: DROPPED },
} as const satisfies Knobs<MusicRequest>;

const THREE_D_KNOBS = {
  prompt: { field: 'prompt', isAsked: (of) => isSaid(of.prompt), without: DROPPED },
  negativePrompt: { field: 'negative_prompt', isAsked: (of) => isSaid(of.negativePrompt), without: DROPPED },
  images: { field: 'image_url', isAsked: (of) => of.images.length > 0, without: no('does not accept an input image') },
  severalImages: {
    field: 'image_urls',
    isAsked: (of) => of.images.length > 1,
    without: no('accepts only one image'),
  },
  format: {
    field: 'format',
    isAsked: (of) => of.format !== null,
    without: no('chooses the file format itself'),
  },
  texture: { field: 'texture', isAsked: (of) => of.texture !== null, without: DROPPED },
  targetPolycount: { field: 'target_polycount', isAsked: (of) => of.targetPolycount !== null, without: DROPPED },
  seed: { field: 'seed', isAsked: (of) => of.seed !== null, without: DROPPED },
  user: { field: 'user', isAsked: (of) => isSaid(of.user), without: DROPPED },
} as const satisfies Knobs<ThreeDRequest>;

export type VideoKnob = keyof typeof VIDEO_KNOBS;
export type MusicKnob = keyof typeof MUSIC_KNOBS;
export type ThreeDKnob = keyof typeof THREE_D_KNOBS;

/**
 * The members that a wire carries. An absent one is refused if it changes the meaning (an image, sound), and dropped otherwise.
 */
export type Carrying<Name extends string> = Readonly<Partial<Record<Name, Carriage>>>;

/** Members of a video's shape, for wires that report the losses of a shape themselves. */
export const SHAPE = { aspectRatio: 'exact', resolution: 'exact', size: 'exact' } as const;

/** Returns the losses of a request; a failure (400) if the wire cannot carry something that changes the meaning. */
export function videoLosses(request: VideoRequest, carries: Carrying<VideoKnob>): readonly Loss[] | Failure {
  return lossesOf(request, VIDEO_KNOBS, carries);
}

export function musicLosses(request: MusicRequest, carries: Carrying<MusicKnob>): readonly Loss[] | Failure {
  return lossesOf(request, MUSIC_KNOBS, carries);
}

export function threeDLosses(request: ThreeDRequest, carries: Carrying<ThreeDKnob>): readonly Loss[] | Failure {
  return lossesOf(request, THREE_D_KNOBS, carries);
}

function lossesOf<Request extends GenerationRequest>(
  request: Request,
  knobs: Knobs<Request>,
  carries: Carrying<string>,
): readonly Loss[] | Failure {
  const losses: Loss[] = [];
  for (const [name, knob] of Object.entries(knobs)) {
    if (!knob.isAsked(request)) continue;
    const carriage = carries[name] ?? knob.without;
    if (carriage === 'exact') continue;
    if (carriage.verdict === 'refused') return refused(knob.field, carriage.why);
    losses.push({ field: knob.field, ...carriage });
  }
  return [...losses, ...unreadMembers(request)];
}

const COMMON_MEMBERS = ['model', 'prompt', 'user', 'provider_options'];

/** Every request member that the gateway reads itself, by kind; others belong in `provider_options`. */
const READ_MEMBERS: Readonly<Record<GenerationRequest['kind'], ReadonlySet<string>>> = {
  video: new Set([
    ...COMMON_MEMBERS,
    ...Object.values(VIDEO_KNOBS).map(({ field }) => field),
    'operation',
    'image_urls',
    'seconds',
    'generate_audio',
  ]),
  music: new Set([...COMMON_MEMBERS, ...Object.values(MUSIC_KNOBS).map(({ field }) => field)]),
  '3d': new Set([...COMMON_MEMBERS, ...Object.values(THREE_D_KNOBS).map(({ field }) => field)]),
};

function unreadMembers({ kind, body }: GenerationRequest): readonly Loss[] {
  const why = 'the field is unknown; send provider-specific fields in `provider_options`';
  return Object.keys(body)
    .filter((field) => !READ_MEMBERS[kind].has(field) && isSaid(body[field]))
    .map((field) => ({ field, verdict: 'dropped', why }));
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** The lengths that a model can produce, in seconds: only the listed ones, or any integer between two bounds. */
export type Lengths = readonly number[] | { readonly least: number; readonly most: number };

/**
 * Returns the length to send and the resulting losses: the client's length if the model supports it, else the nearest supported
 * one (the longer of two that are equally near). `null` if the client gave none.
 */
export function nearestLength(
  { durationSeconds: asked }: Pick<VideoRequest, 'durationSeconds'>,
  lengths: Lengths,
): { readonly seconds: number | null; readonly losses: readonly Loss[] } {
  if (asked === null) return { seconds: null, losses: [] };
  const seconds = nearestOf(asked, lengths);
  if (seconds === asked) return { seconds, losses: [] };
  const made =
    'least' in lengths ? `whole seconds from ${lengths.least} to ${lengths.most}` : `${lengths.join(', ')} seconds`;
  const why = `the model supports ${made}, so ${seconds} is sent`;
  return { seconds, losses: [{ field: 'duration', verdict: 'approximated', why }] };
}

function nearestOf(asked: number, lengths: Lengths): number {
  if ('least' in lengths) return Math.min(lengths.most, Math.max(lengths.least, Math.ceil(asked)));
  const byDistance = [...lengths].sort((one, other) => Math.abs(one - asked) - Math.abs(other - asked) || other - one);
  const [nearest] = byDistance;
  if (nearest === undefined) throw new Error('a model must support at least one length');
  return nearest;
}
