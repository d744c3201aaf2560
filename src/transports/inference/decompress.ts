import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Failure } from '../../domain/failure/failure.ts';

/** The decoder's window of earlier output: 8 MiB, as RFC 8878 recommends (section 3.1.1.1.2). */
const ZSTD_WINDOW_LOG = 23;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

/** Returns the decoder for a `Content-Encoding`; `null` if the body is not encoded. */
export function decoderFor(encoding: string | null): (() => Transform) | Failure | null {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const decoder = DECODERS.get(name);
  if (decoder !== undefined) return decoder;
  return new Failure('unsupported_content_type', {
    message: `The content encoding \`${name.slice(0, 100)}\` is not supported. Send the body uncompressed, or use gzip, br, zstd or deflate.`,
    status: 415,
  });
}

/** Yields decoded pieces as they arrive; stops decoding when the caller stops reading. Throws the decoder's error for corrupt data. */
export async function* decoded(body: AsyncIterable<Uint8Array>, decoder: Transform): AsyncIterable<Uint8Array> {
  pipeline(Readable.from(body), decoder, () => undefined);
  try {
    for await (const piece of decoder) yield piece;
  } finally {
    decoder.destroy();
  }
}
