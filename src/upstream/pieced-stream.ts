import type { PiecedBody } from '../domain/media/pieced-body.ts';
import type { UploadedFile } from '../domain/media/uploaded-file.ts';

const utf8 = new TextEncoder();

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Returns a body of pieces as a stream that the connection pulls; at most one piece of a file is in memory. `onTaken` is called for each
 * piece that the connection has room for.
 */
export function piecedStream({ pieces }: PiecedBody, onTaken: () => void): ReadableStream<Bytes> {
  const parts = bytesOf(pieces);
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        onTaken();
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* bytesOf(pieces: PiecedBody['pieces']): AsyncGenerator<Bytes, void, void> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      if (piece.length > 0) yield piece;
    } else if (piece.as === 'base64') {
      yield* base64Of(exactly(piece.file));
    } else {
      yield* exactly(piece.file);
    }
  }
}

/** The gateway can no longer read an uploaded file. The upstream is not at fault. */
export class UnreadableUpload extends Error {}

/**
 * Yields exactly the file's announced size: a file that has changed would make a body that never ends, or that runs into the next request.
 */
async function* exactly(file: UploadedFile): AsyncGenerator<Bytes, void, void> {
  let read = 0;
  try {
    for await (const piece of file.stream()) {
      read += piece.length;
      if (read > file.size) break;
      if (piece.length > 0) yield piece;
    }
  } catch (error) {
    throw new UnreadableUpload('an uploaded file cannot be read', { cause: error });
  }
  if (read !== file.size) throw new UnreadableUpload('the size of an uploaded file has changed');
}

/** Encodes pieces as base64. Three bytes become four characters, so the remainder of a piece is prepended to the next one. */
async function* base64Of(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes, void, void> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.slice(whole);
    if (whole > 0) yield utf8.encode(Buffer.from(bytes.buffer, bytes.byteOffset, whole).toString('base64'));
  }
  if (rest.length > 0) yield utf8.encode(Buffer.from(rest).toString('base64'));
}
