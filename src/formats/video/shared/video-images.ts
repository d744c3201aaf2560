import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { imageUrl, type Members, refused } from '../../shared/media/image-request.ts';
import type { Carrying, VideoKnob } from '../../shared/tasks/generation-request.ts';

/* Images of video requests, for models that differ in which they accept. */

export interface ImageAbilities {
  readonly hasFirst: boolean;
  readonly hasLast: boolean;
  readonly mostReferences: number;
}

export function imagesCarried({ hasFirst, hasLast, mostReferences }: ImageAbilities): Carrying<VideoKnob> {
  return {
    ...(hasFirst && { firstImage: 'exact' }),
    ...(hasLast && { lastImage: 'exact' }),
    ...(mostReferences > 0 && { referenceImages: 'exact' }),
  };
}

/** Returns a 400 for more reference images than a model accepts. A model that accepts none refuses them as a whole. */
export function referencesRefused({ referenceImages }: VideoRequest, most: number): Failure | null {
  if (most === 0 || referenceImages.length <= most) return null;
  return refused('reference_image_urls', `this model accepts at most ${most} of them`);
}

/** Returns the 400 for references next to a first or last image, for models with separate modes for the two. */
export function apartFromFrames(field: 'reference_image_urls' | 'video_url' = 'reference_image_urls'): Failure {
  return refused(field, 'it does not accept reference images with a first or last image');
}

/** Returns the image's URL or `data:` URI; `null` without an image. */
export async function urlOrNull(image: ImageInput | null): Promise<string | null> {
  return image === null ? null : await imageUrl(image);
}

/** Returns the images as parts of `content`: `{type: "image_url", image_url: {url}, role}`. */
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

/** Returns the loss for a client that wants no sound, from a model whose videos always have it. */
export function soundLoss({ audio }: VideoRequest): readonly Loss[] {
  if (audio !== false) return [];
  return [{ field: 'audio', verdict: 'dropped', why: 'the model’s videos always have sound' }];
}
