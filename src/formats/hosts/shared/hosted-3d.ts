import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ModelFormat, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import { imageUrl, type Members, refused } from '../../shared/media/image-request.ts';
import { type Carrying, type ThreeDKnob, threeDLosses } from '../../shared/tasks/generation-request.ts';
import type { HostedInput, HostedKind } from './hosted.ts';

/* 3D requests to providers that host models of many vendors. */

export interface ThreeDModel {
  /** Like the other members, `null` if the model does not have it. */
  readonly prompt: string | null;
  readonly image: string | null;
  /** The member for a list of images; it also takes a single image if there is no `image`. */
  readonly images: { readonly member: string; readonly most: number } | null;
  /** The file formats that the model produces, the default first; `any` if they are unknown. */
  readonly formats: readonly [ModelFormat, ...ModelFormat[]] | 'any';
  /** `null` if the model always produces the first format. */
  readonly formatMember: string | null;
  /** The values for a model with and without a texture, and the default; always sent, because it affects the price. */
  readonly texture: {
    readonly member: string;
    readonly on: unknown;
    readonly off: unknown;
    readonly usual: boolean;
  } | null;
  readonly polycount: { readonly member: string; readonly least: number; readonly most: number } | null;
  readonly hasNegativePrompt: boolean;
  readonly hasSeed: boolean;
  /** Members that are always sent. */
  readonly always?: Members;
}

/** A model that accepts one image and nothing else: the base for the tables. */
export const IMAGE_ALONE: ThreeDModel = {
  prompt: null,
  image: 'image',
  images: null,
  formats: ['glb'],
  formatMember: null,
  texture: null,
  polycount: null,
  hasNegativePrompt: false,
  hasSeed: false,
};

/** Returns the rules for an unknown model: it accepts what most do. */
export function usualThreeD(image: string, images: string): ThreeDModel {
  return {
    ...IMAGE_ALONE,
    prompt: 'prompt',
    image,
    images: { member: images, most: 16 },
    formats: 'any',
    hasNegativePrompt: true,
    hasSeed: true,
  };
}

/** Both request a material with more than a colour, for which some models charge. */
const PBR_OPTIONS = ['enable_pbr', 'pbr'];

export const HOSTED_3D: HostedKind<ThreeDRequest, ThreeDModel> = {
  kind: '3d',
  wire: {
    operations: ['3d.generations'],
    takesUrls: true,
    // Options that increase compute time (steps, resolutions) are left out, because some models are billed by it.
    harmlessOptions: [
      ...['mesh_simplify', 'ss_guidance_strength', 'slat_guidance_strength', 'guidance_scale', 'foreground_ratio'],
      ...['TAPose', 'material', 'bbox_condition'],
    ],
    pricedOptions: PBR_OPTIONS,
  },
  /** The traits are `texture`, `pbr` and `polycount`, in this order. */
  asks(request, model) {
    const hasTexture = model.texture !== null && (request.texture ?? model.texture.usual);
    const hasPbr = PBR_OPTIONS.some((name) => entryOf(request.options, name) === true);
    const hasPolycount = model.polycount !== null && request.targetPolycount !== null;
    const traits = [
      ...(hasTexture ? ['texture'] : []),
      ...(hasPbr ? ['pbr'] : []),
      ...(hasPolycount ? ['polycount'] : []),
    ];
    return { count: 1, seconds: null, resolution: null, traits };
  },
  input,
};

async function input(request: ThreeDRequest, model: ThreeDModel): Promise<HostedInput | Failure> {
  const problem = pbrRefused(request) ?? imagesRefused(request, model) ?? formatRefused(request, model);
  if (problem !== null) return problem;
  const lost = threeDLosses(request, carriesOf(request, model));
  if (lost instanceof Failure) return lost;
  const { prompt, negativePrompt, texture, seed } = request;
  const polycount = polycountOf(request, model);
  const members = {
    ...model.always,
    ...(model.prompt !== null && { [model.prompt]: prompt === '' ? null : prompt }),
    negative_prompt: model.hasNegativePrompt ? negativePrompt : null,
    seed: model.hasSeed ? seed : null,
    ...(await imagesOf(request, model)),
    ...(model.formatMember !== null && { [model.formatMember]: request.format }),
    ...(model.texture !== null && {
      [model.texture.member]: (texture ?? model.texture.usual) ? model.texture.on : model.texture.off,
    }),
    ...polycount.members,
  };
  return { members, losses: [...lost, ...polycount.losses] };
}

function pbrRefused({ options }: ThreeDRequest): Failure | null {
  for (const name of PBR_OPTIONS) {
    const value = entryOf(options, name);
    if (value === undefined || value === null || typeof value === 'boolean') continue;
    const param = `provider_options.${name}`;
    return new Failure('invalid_value', { message: `\`${param}\` must be true or false.`, param });
  }
  return null;
}

function imagesRefused({ images, prompt }: ThreeDRequest, model: ThreeDModel): Failure | null {
  if (images.length === 0 && model.prompt === null) {
    return refused('prompt', 'the model requires an image; send it as `image_url`');
  }
  const most = model.images?.most ?? (model.image === null ? 0 : 1);
  if (images.length > most && most > 1) return refused('image_urls', `the model accepts at most ${most} images`);
  // A text next to an image only describes it, and no model needs that.
  return images.length === 0 && (prompt === null || prompt === '') ? refused('prompt', 'it is empty') : null;
}

function formatRefused({ format }: ThreeDRequest, { formats }: ThreeDModel): Failure | null {
  if (format === null || (formats === 'any' ? format === 'glb' : formats.includes(format))) return null;
  const why = formats === 'any' ? 'the model’s output formats are not known' : `the model makes ${formats.join(', ')}`;
  return refused('format', why);
}

function carriesOf({ format }: ThreeDRequest, model: ThreeDModel): Carrying<ThreeDKnob> {
  const guessed = { verdict: 'approximated', why: 'most models add one, but this one has no option for it' } as const;
  return {
    ...(model.prompt !== null && { prompt: 'exact' }),
    ...((model.image ?? model.images) !== null && { images: 'exact' }),
    ...(model.images !== null && { severalImages: 'exact' }),
    ...(format !== null && { format: model.formats === 'any' ? guessed : 'exact' }),
    ...(model.texture !== null && { texture: 'exact' }),
    ...(model.polycount !== null && { targetPolycount: 'exact' }),
    ...(model.hasNegativePrompt && { negativePrompt: 'exact' }),
    ...(model.hasSeed && { seed: 'exact' }),
  };
}

async function imagesOf({ images }: ThreeDRequest, model: ThreeDModel): Promise<Members> {
  if (images.length === 0) return {};
  const urls = await Promise.all(images.map(imageUrl));
  if (model.image !== null && urls.length === 1) return { [model.image]: urls[0] };
  return model.images === null ? {} : { [model.images.member]: urls };
}

function polycountOf({ targetPolycount: asked }: ThreeDRequest, { polycount }: ThreeDModel): HostedInput {
  if (asked === null || polycount === null) return { members: {}, losses: [] };
  const { member, least, most } = polycount;
  const sent = Math.min(most, Math.max(least, asked));
  const why = `the model supports ${least} to ${most}, so ${sent} is sent`;
  const losses: Loss[] = sent === asked ? [] : [{ field: 'target_polycount', verdict: 'approximated', why }];
  return { members: { [member]: sent }, losses };
}
