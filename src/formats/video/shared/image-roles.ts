import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { imageUrl, type Members } from '../../shared/media/image-request.ts';

/** Returns the images of a video as parts of `content`: `{type: "image_url", image_url: {url}, role}`. */
export async function imageParts(
  request: Pick<VideoRequest, 'firstImage' | 'lastImage' | 'referenceImages'>,
): Promise<readonly Members[]> {
  const { firstImage, lastImage, referenceImages } = request;
  const roles = [
    ...(firstImage === null ? [] : [{ image: firstImage, role: 'first_frame' }]),
    ...(lastImage === null ? [] : [{ image: lastImage, role: 'last_frame' }]),
    ...referenceImages.map((image) => ({ image, role: 'reference_image' })),
  ];
  const parts = roles.map(async ({ image, role }) => {
    return { type: 'image_url', image_url: { url: await imageUrl(image) }, role };
  });
  return await Promise.all(parts);
}
