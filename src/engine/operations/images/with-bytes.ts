import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { imagesField } from '../../../formats/shared/image-limits.ts';
import type { FetchedImages } from '../input-images.ts';

/** Resolves to the request with all image URLs replaced by bytes, for a wire that takes no URLs. */
export async function withBytes(request: ImageRequest, fetched: FetchedImages): Promise<ImageRequest | Failure> {
  const field = imagesField(request);
  const located = request.images.map((image, index) => ({
    image,
    path: field === 'image_urls' ? `${field}[${index}]` : field,
  }));
  const images = await fetched.bytesOf(located, field);
  return images instanceof Failure ? images : { ...request, images };
}
