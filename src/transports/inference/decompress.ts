import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Failure } from '../../domain/failure/failure.ts';

/** What a decoder may have in memory of what it has written before: 8 MiB, as RFC 8878 recommends (section 3.1.1.1.2). */
const ZSTD_WINDOW_LOG = 23;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

/** The decoder for a `Content-Encoding`; `null` where the body is as it is. */
export function decoderFor(encoding: string | null): (() => Transform) | Failure | null {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const decoder = DECODERS.get(name);
  if (decoder !== undefined) return decoder;
  return new Failure('unsupported_content_type', {
    message: `The content encoding \`${name.slice(0, 100)}\` is not supported here. Send the body as it is, or with one of gzip, br, zstd and deflate.`,
    status: 415,
  });
}

/** The decoded pieces as they arrive; decoding ends when the caller stops reading. Throws the decoder's error for broken data. */
export async function* decoded(body: AsyncIterable<Uint8Array>, decoder: Transform): AsyncIterable<Uint8Array> {
  pipeline(Readable.from(body), decoder, () => undefined);
  try {
    for await (const piece of decoder) yield piece;
  } finally {
    decoder.destroy();
  }
}
