import type { ImageFileFormat } from '../../../domain/images/images.ts';

/** The members that an endpoint of Black Forest Labs accepts (docs.bfl.ai/api-reference). */
export interface BflModel {
  /** Pixels in steps, from `least` to `most` per side; or any ratio from 21:9 to 9:21; or no shape. */
  readonly shape: { readonly step: number; readonly least: number; readonly most: number } | 'ratio' | null;
  readonly fileFormats: readonly ImageFileFormat[];
  /** `input_image`, `input_image_2` and so on; `image` is the member of the endpoint that fills an area. */
  readonly edit: { readonly member: 'input_image' | 'image'; readonly most: number; readonly hasMask: boolean } | null;
}

const PNG_JPEG: readonly ImageFileFormat[] = ['jpeg', 'png'];

function flux2(most: number): BflModel {
  return {
    shape: { step: 16, least: 64, most: 4_096 },
    fileFormats: PNG_JPEG,
    edit: { member: 'input_image', most, hasMask: false },
  };
}

const FLUX_1: BflModel = { shape: { step: 32, least: 256, most: 1_440 }, fileFormats: PNG_JPEG, edit: null };
const ULTRA: BflModel = { shape: 'ratio', fileFormats: PNG_JPEG, edit: null };
const KONTEXT: BflModel = {
  shape: 'ratio',
  fileFormats: PNG_JPEG,
  edit: { member: 'input_image', most: 4, hasMask: false },
};
const FILL: BflModel = { shape: null, fileFormats: PNG_JPEG, edit: { member: 'image', most: 1, hasMask: true } };

const FAMILIES: readonly (readonly [RegExp, BflModel])[] = [
  [/^flux-2-klein/, flux2(4)],
  [/^flux-2/, flux2(8)],
  [/^flux-kontext/, KONTEXT],
  [/-fill$/, FILL],
  [/-ultra$|-raw$/, ULTRA],
  [/^flux-(?:pro|dev)/, FLUX_1],
];

/** Returns a model's rules; an unknown model is assumed to be of the newest generation. */
export function bflModel(id: string): BflModel {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? flux2(8);
}
