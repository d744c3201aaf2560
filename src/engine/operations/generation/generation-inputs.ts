import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { FetchedImages, LocatedImage } from '../input-images.ts';

/** Resolves to the request with its image URLs replaced by bytes, for a wire that takes no URLs. */
export async function inputsWithBytes<Request extends GenerationRequest>(
  request: Request,
  fetched: FetchedImages,
): Promise<Request | Failure> {
  const given = imagesIn(request);
  if (given.length === 0) return request;
  const read = await fetched.bytesOf(given, given[0]?.path ?? 'image_url');
  return read instanceof Failure ? read : withImages(request, read);
}

/** Lists the images in the order that `withImages` expects. */
function imagesIn(request: GenerationRequest): readonly LocatedImage[] {
  if (request.kind === 'music') return [];
  if (request.kind === '3d') return located(request.images, request.images.length > 1 ? 'image_urls' : 'image_url');
  const { firstImage, lastImage, referenceImages } = request;
  return [
    ...(firstImage === null ? [] : [{ image: firstImage, path: 'image_url' }]),
    ...(lastImage === null ? [] : [{ image: lastImage, path: 'end_image_url' }]),
    ...located(referenceImages, 'reference_image_urls'),
  ];
}

function located(images: readonly ImageInput[], field: string): readonly LocatedImage[] {
  return images.map((image, index) => ({ image, path: images.length > 1 ? `${field}[${index}]` : field }));
}

function withImages<Request extends GenerationRequest>(request: Request, read: readonly ImageInput[]): Request {
  if (request.kind === 'music') return request;
  if (request.kind === '3d') return { ...request, images: read };
  const rest = [...read];
  const firstImage = request.firstImage === null ? null : (rest.shift() ?? null);
  const lastImage = request.lastImage === null ? null : (rest.shift() ?? null);
  return { ...request, firstImage, lastImage, referenceImages: rest };
}
