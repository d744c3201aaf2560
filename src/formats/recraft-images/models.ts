/** What the generations of Recraft's models differ in (recraft.ai/docs/api-reference, "Models" and "Appendix"). */
export interface RecraftModel {
  /** It draws SVG, and takes aspect ratios alone. */
  readonly isVector: boolean;
  readonly sizes: readonly string[];
  /** Named styles and negative prompts. */
  readonly hasStyles: boolean;
  /** It fills an area of an image. */
  readonly fills: boolean;
  /** It begins with an image. */
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
/** With twice as many pixels on each side. */
const V4_PRO_SIZES = V4.map(([width, height]) => `${2 * width}x${2 * height}`);
const V3_SIZES = [
  ...['1024x1024', '1365x1024', '1024x1365', '1536x1024', '1024x1536', '1820x1024', '1024x1820', '1024x2048'],
  ...['2048x1024', '1434x1024', '1024x1434', '1024x1280', '1280x1024', '1024x1707', '1707x1024'],
];

export function recraftModel(id: string): RecraftModel {
  const isOld = /^recraftv[23]/.test(id);
  const isPro = /_pro(?:_|$)/.test(id);
  return {
    isVector: id.endsWith('_vector'),
    sizes: isOld ? V3_SIZES : isPro ? V4_PRO_SIZES : V4_SIZES,
    hasStyles: isOld,
    fills: id.startsWith('recraftv3'),
    edits: !id.startsWith('recraftv2') && !/_(?:flash|styles)/.test(id),
  };
}
