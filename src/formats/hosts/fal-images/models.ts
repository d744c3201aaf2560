import type { ImageFileFormat } from '../../../domain/images/images.ts';
import { entryOf } from '../../shared/json/record.ts';

/** The members that a fal model accepts: each model is an endpoint with its own members (fal.ai/models/{id}/llms.txt). */
export interface FalModel {
  /** `image_size` accepts any pixels; a list has the values of `aspect_ratio`; `null` if the model decides. */
  readonly sizes: 'image_size' | readonly string[] | null;
  /** The most that `num_images` allows; 1 if there is no such member. */
  readonly mostImages: number;
  readonly fileFormats: readonly ImageFileFormat[];
  readonly hasSeed: boolean;
  readonly hasNegativePrompt: boolean;
  /** The endpoint that generates an image from text, if it is not the model's own id. */
  readonly generation?: string;
  readonly edit: FalEdit | null;
}

export interface FalEdit {
  /** The endpoint that edits, if it is not the model's own id. */
  readonly id?: string;
  /** `image_url` holds one image. */
  readonly member: 'image_url' | 'image_urls';
  readonly most: number;
}

const PNG_JPEG: readonly ImageFileFormat[] = ['png', 'jpeg'];
const ALL: readonly ImageFileFormat[] = ['png', 'jpeg', 'webp'];
const FLUX_RATIOS = ['21:9', '16:9', '4:3', '3:2', '1:1', '2:3', '3:4', '9:16', '9:21'];
const GEMINI_RATIOS = ['21:9', '16:9', '3:2', '4:3', '5:4', '1:1', '4:5', '3:4', '2:3', '9:16'];
const IMAGEN_RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4'];

const ORDINARY = { hasSeed: true, hasNegativePrompt: false, mostImages: 4, fileFormats: PNG_JPEG, edit: null } as const;
const FLUX: FalModel = { ...ORDINARY, sizes: 'image_size' };
const IMAGEN: FalModel = { ...ORDINARY, sizes: IMAGEN_RATIOS, fileFormats: ALL, hasNegativePrompt: true };

function flux2(id: string, facts: Partial<FalModel> = {}): FalModel {
  return { ...FLUX, edit: { id: `${id}/edit`, member: 'image_urls', most: 8 }, ...facts };
}

function kontext(id: string): FalModel {
  const edit: FalEdit = { member: 'image_url', most: 1 };
  return { ...ORDINARY, sizes: FLUX_RATIOS, generation: `${id}/text-to-image`, edit };
}

function nanoBanana(id: string, hasSeed: boolean): FalModel {
  const edit: FalEdit = { id: `${id}/edit`, member: 'image_urls', most: 10 };
  return { ...ORDINARY, sizes: GEMINI_RATIOS, fileFormats: ALL, hasSeed, edit };
}

function seedream(version: string): FalModel {
  const edit: FalEdit = { id: `fal-ai/bytedance/seedream/${version}/edit`, member: 'image_urls', most: 10 };
  return { ...ORDINARY, sizes: 'image_size', mostImages: 6, fileFormats: [], edit };
}

const MODELS: Readonly<Record<string, FalModel>> = {
  'fal-ai/flux/schnell': FLUX,
  'fal-ai/flux/dev': { ...FLUX, edit: { id: 'fal-ai/flux/dev/image-to-image', member: 'image_url', most: 1 } },
  'fal-ai/flux-pro/v1.1': FLUX,
  'fal-ai/flux-pro/v1.1-ultra': { ...FLUX, sizes: FLUX_RATIOS },
  'fal-ai/flux-pro/kontext': kontext('fal-ai/flux-pro/kontext'),
  'fal-ai/flux-pro/kontext/max': kontext('fal-ai/flux-pro/kontext/max'),
  'fal-ai/flux-2': flux2('fal-ai/flux-2', { fileFormats: ALL }),
  'fal-ai/flux-2/turbo': flux2('fal-ai/flux-2/turbo', { fileFormats: ALL }),
  'fal-ai/flux-2-pro': flux2('fal-ai/flux-2-pro', { mostImages: 1 }),
  'fal-ai/flux-2-max': flux2('fal-ai/flux-2-max', { mostImages: 1 }),
  'fal-ai/flux-2-flex': flux2('fal-ai/flux-2-flex', { mostImages: 1 }),
  'fal-ai/nano-banana': nanoBanana('fal-ai/nano-banana', false),
  'fal-ai/nano-banana-2': nanoBanana('fal-ai/nano-banana-2', true),
  'fal-ai/nano-banana-pro': nanoBanana('fal-ai/nano-banana-pro', true),
  'fal-ai/imagen4/preview': IMAGEN,
  'fal-ai/imagen4/preview/fast': IMAGEN,
  'fal-ai/imagen4/preview/ultra': IMAGEN,
  'fal-ai/bytedance/seedream/v4/text-to-image': seedream('v4'),
  'fal-ai/bytedance/seedream/v4.5/text-to-image': seedream('v4.5'),
  'fal-ai/qwen-image': {
    ...FLUX,
    hasNegativePrompt: true,
    edit: { id: 'fal-ai/qwen-image-edit', member: 'image_url', most: 1 },
  },
  'fal-ai/ideogram/v3': {
    ...FLUX,
    mostImages: 8,
    fileFormats: [],
    hasNegativePrompt: true,
    edit: { id: 'fal-ai/ideogram/v3/remix', member: 'image_url', most: 1 },
  },
  'fal-ai/recraft/v3/text-to-image': {
    ...FLUX,
    mostImages: 1,
    fileFormats: [],
    hasSeed: false,
    edit: { id: 'fal-ai/recraft/v3/image-to-image', member: 'image_url', most: 1 },
  },
};

/**
 * Returns the most common rules. An endpoint for edits has its own id, and accepts several images if the id ends with `/edit`.
 */
function usual(id: string): FalModel {
  const several: FalEdit = { member: 'image_urls', most: 10 };
  const one: FalEdit = { member: 'image_url', most: 1 };
  return { ...FLUX, edit: id.endsWith('/edit') ? several : one };
}

export function falModel(id: string): FalModel {
  return entryOf(MODELS, id) ?? usual(id);
}

/** The ids in the table, for tests. */
export const FAL_MODELS: readonly string[] = Object.keys(MODELS);
