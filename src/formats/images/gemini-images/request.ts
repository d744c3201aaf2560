import { Failure } from '../../../domain/failure/failure.ts';
import { askedSize, type Chosen, nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageFileFormat, ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { imageBase64, jsonRequest, lossesOf } from '../../shared/media/image-request.ts';
import { LARGEST_INT32, seedWithin } from '../../shared/seeds.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { GEMINI_RATIOS } from '../shared/image-ratios.ts';

/** The newer Flash models also support long ratios. */
const LONG_RATIOS = [...GEMINI_RATIOS, '1:4', '4:1', '1:8', '8:1'];
const WITH_LONG_RATIOS = /gemini-3\.[1-9]\d*-flash-image|nano-banana-2/;
/** The models that can make more than about a megapixel. */
const WITH_SIZES = /gemini-3(?:\.\d+)?-(?:pro|flash)-image|nano-banana-2/;
/** The longest side of each size; the first one is the default. */
const SIZES: readonly { readonly name: string; readonly side: number; readonly square: string }[] = [
  { name: '1K', side: 1_600, square: '1024x1024' },
  { name: '2K', side: 3_200, square: '2048x2048' },
  { name: '4K', side: Number.POSITIVE_INFINITY, square: '4096x4096' },
];
const MOST_INPUTS = 14;

/** Implements `ImageWire.asks`. An image larger than the default has the price of its size's square image. */
export function asks(request: ImageRequest, target: WireTarget): ImageShape {
  const { name, square } = sizeFor(request, ruleModelOf(target));
  return { size: name === null ? askedSize(request) : square, quality: null };
}

/** Encodes the request; `provider_options` are merged into the body, such as `safetySettings` and `generationConfig`. */
export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const lost = lossesOf(request, {
    mostInputs: MOST_INPUTS,
    fileFormats: fileFormats(ruleModelOf(target)),
    carries: { seed: 'exact' },
    inputs: { formats: PNG_JPEG_WEBP },
  });
  if (lost instanceof Failure) return lost;
  const size = sizeFor(request, ruleModelOf(target));
  const ratio = ratioFor(request, ruleModelOf(target), size.square);
  const parts = request.images.map(async (one) => {
    const { base64, mediaType } = await imageBase64(one);
    return { inlineData: { mimeType: mediaType, data: base64 } };
  });
  const seed = seedWithin(request, LARGEST_INT32);
  const isShaped = ratio.value !== null || size.name !== null;
  return jsonRequest(
    {
      contents: [{ role: 'user', parts: [{ text: request.prompt }, ...(await Promise.all(parts))] }],
      generationConfig: {
        // If text were allowed, a model would often respond with text only.
        responseModalities: ['IMAGE'],
        imageConfig: isShaped ? { aspectRatio: ratio.value, imageSize: size.name } : null,
        seed: seed.value,
      },
    },
    request,
    [...lost, ...ratio.losses, ...seed.losses],
  );
}

/** Returns the known file formats: the first model produces PNG (recorded); those of the others are undocumented. */
function fileFormats(upstreamModel: string): readonly ImageFileFormat[] {
  return upstreamModel.includes('gemini-2.5') ? ['png'] : [];
}

interface SizeName {
  /** `null` for the default size, which is not sent. */
  readonly name: string | null;
  /** The square image of this size. */
  readonly square: string;
}

function sizeFor({ size }: ImageRequest, upstreamModel: string): SizeName {
  const [usual] = SIZES;
  const side = size === null || size === 'auto' ? 0 : Math.max(size.width, size.height);
  const found = WITH_SIZES.test(upstreamModel) ? SIZES.find((one) => side <= one.side) : usual;
  const name = found === undefined || found === usual ? null : found.name;
  return { name, square: found?.square ?? '' };
}

function ratioFor(request: ImageRequest, upstreamModel: string, square: string): Chosen {
  const ratios = WITH_LONG_RATIOS.test(upstreamModel) ? LONG_RATIOS : GEMINI_RATIOS;
  return nearestRatio(request, ratios, { '1:1': square });
}
