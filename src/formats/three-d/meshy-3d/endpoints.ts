/** A job is polled below the endpoint that accepted it. */
export interface Endpoint {
  readonly name: 'text' | 'image' | 'images';
  readonly path: string;
}

const TEXT: Endpoint = { name: 'text', path: '/openapi/v2/text-to-3d' };
const IMAGE: Endpoint = { name: 'image', path: '/openapi/v1/image-to-3d' };
const IMAGES: Endpoint = { name: 'images', path: '/openapi/v1/multi-image-to-3d' };

/** Returns the endpoint for this number of input images. */
export function endpointOf(images: number): Endpoint {
  if (images === 0) return TEXT;
  return images === 1 ? IMAGE : IMAGES;
}

export function endpointNamed(name: string | undefined): Endpoint {
  return [TEXT, IMAGE, IMAGES].find((one) => one.name === name) ?? TEXT;
}
