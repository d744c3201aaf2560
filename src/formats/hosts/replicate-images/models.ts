import type { ImageFileFormat } from '../../../domain/images/images.ts';
import { GEMINI_RATIOS, IDEOGRAM_RATIOS } from '../../images/shared/image-ratios.ts';
import { entryOf } from '../../shared/json/record.ts';

/** The `input` members of a model (replicate.com/{owner}/{name}/api). */
export interface ReplicateModel {
  readonly sizes: ModelSizes;
  /** The member for the number of images in one prediction, and its limit; `null` if a prediction makes one. */
  readonly several: { readonly member: string; readonly most: number } | null;
  readonly fileFormats: readonly ImageFileFormat[];
  readonly hasSeed: boolean;
  readonly hasNegativePrompt: boolean;
  readonly hasQuality: boolean;
  /** The member for the input images. */
  readonly edit: { readonly member: string; readonly isList: boolean; readonly most: number } | null;
}

export interface ModelSizes {
  /** Values of `aspect_ratio`; `null` if there is no such member. */
  readonly ratios: readonly string[] | null;
  /** Limits of `width` and `height`; with `custom` they apply only with `aspect_ratio: custom`. */
  readonly pixels: { readonly custom: boolean; readonly least: number; readonly most: number } | null;
}

const ALL: readonly ImageFileFormat[] = ['png', 'jpeg', 'webp'];
const PNG_JPEG: readonly ImageFileFormat[] = ['png', 'jpeg'];

const FLUX_RATIOS = ['1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '3:4', '4:3', '9:16', '9:21'];
const PRO_RATIOS = ['1:1', '16:9', '3:2', '2:3', '4:5', '5:4', '9:16', '3:4', '4:3'];
const KONTEXT_RATIOS = [...FLUX_RATIOS, '2:1', '1:2'];
const IMAGEN_RATIOS = ['1:1', '9:16', '16:9', '3:4', '4:3'];
const SEEDREAM_RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3', '21:9'];

const BY_RATIO = (ratios: readonly string[]): ModelSizes => ({ ratios, pixels: null });

const PLAIN: ReplicateModel = {
  sizes: BY_RATIO(FLUX_RATIOS),
  several: null,
  fileFormats: ALL,
  hasSeed: true,
  hasNegativePrompt: false,
  hasQuality: false,
  edit: null,
};

const SCHNELL: ReplicateModel = { ...PLAIN, several: { member: 'num_outputs', most: 4 }, hasQuality: true };
const DEV: ReplicateModel = { ...SCHNELL, edit: { member: 'image', isList: false, most: 1 } };
const PRO: ReplicateModel = {
  ...PLAIN,
  sizes: { ratios: PRO_RATIOS, pixels: { custom: true, least: 256, most: 1_440 } },
  hasQuality: true,
};
const KONTEXT: ReplicateModel = {
  ...PLAIN,
  sizes: BY_RATIO(KONTEXT_RATIOS),
  fileFormats: PNG_JPEG,
  edit: { member: 'input_image', isList: false, most: 1 },
};
const IMAGEN: ReplicateModel = { ...PLAIN, sizes: BY_RATIO(IMAGEN_RATIOS), fileFormats: PNG_JPEG, hasSeed: false };
const IDEOGRAM: ReplicateModel = { ...PLAIN, sizes: BY_RATIO(IDEOGRAM_RATIOS), fileFormats: [] };
const NANO_BANANA: ReplicateModel = {
  ...PLAIN,
  sizes: BY_RATIO(GEMINI_RATIOS),
  fileFormats: PNG_JPEG,
  hasSeed: false,
  edit: { member: 'image_input', isList: true, most: 10 },
};
const SEEDREAM: ReplicateModel = {
  ...PLAIN,
  sizes: BY_RATIO(SEEDREAM_RATIOS),
  fileFormats: [],
  hasSeed: false,
  edit: { member: 'image_input', isList: true, most: 10 },
};

function flux2(most: number, largest: number): ReplicateModel {
  const sizes: ModelSizes = { ratios: PRO_RATIOS, pixels: { custom: true, least: 256, most: largest } };
  return { ...PLAIN, sizes, hasQuality: true, edit: { member: 'input_images', isList: true, most } };
}

const MODELS: Readonly<Record<string, ReplicateModel>> = {
  'black-forest-labs/flux-schnell': SCHNELL,
  'black-forest-labs/flux-dev': DEV,
  'black-forest-labs/flux-krea-dev': DEV,
  'black-forest-labs/flux-1.1-pro': PRO,
  'black-forest-labs/flux-1.1-pro-ultra': { ...PLAIN, fileFormats: PNG_JPEG },
  'black-forest-labs/flux-kontext-pro': KONTEXT,
  'black-forest-labs/flux-kontext-max': KONTEXT,
  'black-forest-labs/flux-2-pro': flux2(8, 2_048),
  'black-forest-labs/flux-2-max': flux2(8, 2_048),
  'black-forest-labs/flux-2-flex': flux2(10, 1_440),
  'black-forest-labs/flux-2-dev': flux2(4, 1_440),
  'google/imagen-4': IMAGEN,
  'google/imagen-4-fast': IMAGEN,
  'google/imagen-4-ultra': IMAGEN,
  'google/nano-banana': NANO_BANANA,
  'google/nano-banana-pro': NANO_BANANA,
  'ideogram-ai/ideogram-v3-turbo': IDEOGRAM,
  'ideogram-ai/ideogram-v3-balanced': IDEOGRAM,
  'ideogram-ai/ideogram-v3-quality': IDEOGRAM,
  'bytedance/seedream-4': SEEDREAM,
  'bytedance/seedream-4.5': SEEDREAM,
  'stability-ai/stable-diffusion-3.5-large': {
    ...PLAIN,
    hasQuality: true,
    hasNegativePrompt: true,
    edit: { member: 'image', isList: false, most: 1 },
  },
  'stability-ai/sdxl': {
    ...PLAIN,
    sizes: { ratios: null, pixels: { custom: false, least: 64, most: 2_048 } },
    several: { member: 'num_outputs', most: 4 },
    fileFormats: [],
    hasNegativePrompt: true,
    edit: { member: 'image', isList: false, most: 1 },
  },
  'qwen/qwen-image': {
    ...PLAIN,
    sizes: BY_RATIO(['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3']),
    hasNegativePrompt: true,
    hasQuality: true,
    edit: { member: 'image', isList: false, most: 1 },
  },
};

/** The common members of the newest models. */
const USUAL: ReplicateModel = { ...PLAIN, edit: { member: 'image', isList: false, most: 1 } };

/** Returns a model's rules. An id is `owner/name`, `owner/name:version`, or a version alone. */
export function replicateModel(id: string): ReplicateModel {
  const [name = ''] = id.split(':');
  return entryOf(MODELS, name) ?? USUAL;
}

/** The names in the table, for tests. */
export const REPLICATE_MODELS: readonly string[] = Object.keys(MODELS);
