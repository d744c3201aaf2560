import { mediaTypeByBytes } from '../domain/media/media-label.ts';

/**
 * Returns the type of a fetched file, in lower case and without parameters: what its first bytes show, else what the head says,
 * else `application/octet-stream`.
 */
export function mediaTypeOf(contentType: string | undefined, bytes: Uint8Array): string {
  return mediaTypeByBytes(contentType, bytes) ?? 'application/octet-stream';
}
