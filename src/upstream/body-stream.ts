/** Above this a body goes out piece by piece; `fetch` copies a smaller one at once, which takes it up to 1 ms per megabyte. */
export const STREAMED_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/**
 * A body in pieces as the connection takes them: nobody waits while 50 MB are copied for it (40 ms), and there is no second
 * copy in memory. Sent with its `Content-Length`, it is not chunked, which many providers would refuse.
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
