/** A cipher allocates one byte more than it returns. */
const MOST_SPARE_BYTES = 1;

/** Returns the buffer of bytes that have one of their own; `null` if other bytes may share it. */
export function ownBufferOf({ buffer, byteLength }: Uint8Array): ArrayBuffer | null {
  return buffer instanceof ArrayBuffer && buffer.byteLength - byteLength <= MOST_SPARE_BYTES ? buffer : null;
}

/**
 * Frees the memory of bytes that nobody reads any more, unless others share it. The garbage collector would leave many of them behind,
 * since it waits until the whole heap has grown.
 */
export function freeBytes(bytes: Uint8Array): void {
  ownBufferOf(bytes)?.transfer(0);
}
