import { mediaTypeByBytes } from '../domain/media/media-label.ts';

/**
 * Returns the type of a fetched file, in lower case and without parameters: by its first bytes, else by the head, else
 * `application/octet-stream`.
 */
export function mediaTypeOf(contentType: string | undefined, bytes: Uint8Array): string {
  return mediaTypeByBytes(contentType, bytes) ?? 'application/octet-stream';
}
