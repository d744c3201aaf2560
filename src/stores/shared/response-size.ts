import type { StoredResponse } from '../../engine/ports/response-store.ts';

/** Returns the bytes that count against the limits of the `ResponseStore` port. */
export function contentBytesOf(response: StoredResponse): number {
  return Buffer.byteLength(response.inputJson) + Buffer.byteLength(response.responseJson);
}
