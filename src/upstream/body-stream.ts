/** Larger bodies are sent in pieces; `fetch` copies a smaller one at once, which takes up to 1 ms per megabyte. */
export const STREAMED_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/**
 * Returns a body as a stream that the connection pulls: copying 50 MB at once would block for 40 ms and double the memory. With its
 * `Content-Length` it is not sent chunked, which many providers would reject.
 */
export function bodyStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let from = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (from >= bytes.length) {
          controller.close();
          return;
        }
        controller.enqueue(bytes.subarray(from, from + PIECE_BYTES));
        from += PIECE_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}
