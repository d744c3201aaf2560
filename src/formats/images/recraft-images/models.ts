import { entryOf } from '../../shared/json/record.ts';
/** The differences between the generations of Recraft's models (recraft.ai/docs/api-reference, "Models" and "Appendix"). */
export interface RecraftModel {
  /** The model draws SVG, and accepts only aspect ratios. */
  readonly isVector: boolean;
  readonly sizes: readonly string[];
  /** The named styles; empty for later generations, which have none. */
  readonly styles: readonly string[];
  readonly hasNegativePrompt: boolean;
  /** The longest prompt, in characters. */
  readonly longestPrompt: number;
  /** The model can fill an area of an image. */
  readonly fills: boolean;
  /** The model can start from an image. */
  readonly edits: boolean;
}

export const RATIOS = [
  ...['1:1', '2:1', '1:2', '3:2', '2:3', '4:3', '3:4', '5:4', '4:5', '6:10', '14:10', '10:14', '16:9', '9:16'],
];

const V4: readonly (readonly [number, number])[] = [
  ...([
    [1024, 1024],
    [1536, 768],
    [768, 1536],
    [1280, 832],
    [832, 1280],
    [1216, 896],
    [896, 1216],
    [1152, 896],
    [896, 1152],
    [832, 1344],
    [1280, 896],
    [896, 1280],
    [1344, 768],
    [768, 1344],
  ] as const),
];
const V4_SIZES = V4.map(([width, height]) => `${width}x${height}`);
/** The sizes with twice as many pixels per side. */
const V4_PRO_SIZES = V4.map(([width, height]) => `${2 * width}x${2 * height}`);
const V3_SIZES = [
  ...['1024x1024', '1365x1024', '1024x1365', '1536x1024', '1024x1536', '1820x1024', '1024x1820', '1024x2048'],
  ...['2048x1024', '1434x1024', '1024x1434', '1024x1280', '1280x1024', '1024x1707', '1707x1024'],
];

/*
 * The named styles of the second and third generation (recraft.ai/docs/api-reference/styles, "List of styles"), including the
 * older family names. Each model has its own list, and refuses the styles of the other kind of image.
 */

const BOTH_RASTER = [
  ...[
    'Photorealism',
    'Enterprise',
    'Natural light',
    'Studio photo',
    'HDR',
    'Hard flash',
    'Motion blur',
    'Black & white',
  ],
  ...['Product photo', 'Illustration', 'Hand-drawn', 'Grain', 'Bold Sketch', 'Pencil sketch', 'Retro Pop', 'Clay'],
  ...['Risograph', 'Seamless Digital', 'Color engraving', 'Pixel art', 'realistic_image', 'digital_illustration'],
];
const BOTH_VECTOR = [
  ...['Vector art', 'Line art', 'Linocut', 'Color blobs', 'Engraving', 'Seamless Vector', 'vector_illustration'],
];

const V3_RASTER = [
  ...BOTH_RASTER,
  ...['Recraft V3 Raw', 'Evening light', 'Faded Nostalgia', 'Forest life', 'Mystic Naturalism', 'Natural Tones'],
  ...[
    'Organic Calm',
    'Real-Life Glow',
    'Retro Realism',
    'Retro Snapshot',
    'Urban Drama',
    'Village Realism',
    'Warm Folk',
  ],
  ...['Antiquarian', 'Bold fantasy', 'Child book', 'Cover', 'Crosshatch', 'Digital engraving', 'Expressionism'],
  ...['Freehand details', 'Grain 2.0', 'Graphic intensity', 'Hard Comics', 'Long shadow', 'Modern Folk', 'Multicolor'],
  ...['Neon Calm', 'Noir', 'Nostalgic pastel', 'Outline details', 'Pastel gradient', 'Pastel sketch', 'Pop art'],
  ...['Pop renaissance', 'Street art', 'Tablet sketch', 'Urban Glow', 'Urban sketching', 'Young adult book'],
  ...['Young adult book 2', 'Prestige Emblem', 'Pop Graphic', 'Stamp', 'Punk Graphic', 'Vintage Emblem'],
  'logo_raster',
];
const V3_VECTOR = [
  ...BOTH_VECTOR,
  ...['Bold stroke', 'Chemistry', 'Colored stencil', 'Cosmics', 'Cutout', 'Depressive', 'Editorial', 'Emotional flat'],
  ...['Marker outline', 'Mosaic', 'Naivector', 'Roundish flat', 'Segmented Colors', 'Sharp contrast', 'Thin'],
  ...['Vector Photo', 'Vivid shapes'],
];
const V2_RASTER = [
  ...BOTH_RASTER,
  ...['3D render', 'Glow', 'Watercolor', 'Kawaii', 'Psychedelic', "80's", 'Voxel art'],
];
const V2_VECTOR = [
  ...BOTH_VECTOR,
  ...['Cartoon', 'Flat 2.0', 'Vector Kawaii', 'Doodle Line art', 'Icon', 'Outline', 'Pictogram', 'Colored outline'],
  ...['Doodle', 'Colored shape', 'Gradient outline', 'Offset doodle', 'Gradient shape', 'Broken line', 'Offset fill'],
];

/** Styles by `recraftv2` and the like. */
const STYLES: Readonly<Record<string, readonly string[]>> = {
  recraftv3: V3_RASTER,
  recraftv3_vector: V3_VECTOR,
  recraftv2: V2_RASTER,
  recraftv2_vector: V2_VECTOR,
};

export function recraftModel(id: string): RecraftModel {
  const isOld = /^recraftv[23]/.test(id);
  const isPro = /_pro(?:_|$)/.test(id);
  return {
    isVector: id.endsWith('_vector'),
    sizes: isOld ? V3_SIZES : isPro ? V4_PRO_SIZES : V4_SIZES,
    styles: entryOf(STYLES, id) ?? [],
    hasNegativePrompt: isOld,
    longestPrompt: isOld ? 1_000 : 10_000,
    fills: id.startsWith('recraftv3'),
    edits: !id.startsWith('recraftv2') && !/_(?:flash|styles)/.test(id),
  };
}
