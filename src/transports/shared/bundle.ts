import { createHash } from 'node:crypto';
import type { Packed } from './packed.ts';

/** The bundled files of a page, compressed as they are sent. */
export interface Bundle {
  /** Keyed by name, which contains a hash of the content. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly first: FirstAssets;
}

export interface Asset {
  readonly contentType: string;
  readonly content: Packed;
}

/** The names of the files that the page itself requests. */
export interface FirstAssets {
  /** The script that chooses the theme before anything is shown. */
  readonly theme: string;
  readonly style: string;
  readonly script: string;
  /** The static imports of the script. */
  readonly imports: readonly string[];
  readonly icon: string;
}

/** The table of contents. The assets' bytes follow in its order, each as Brotli, then gzip. */
interface Contents {
  readonly first: FirstAssets;
  readonly assets: readonly {
    readonly name: string;
    readonly contentType: string;
    readonly hash: string;
    readonly brotliBytes: number;
    readonly gzipBytes: number;
  }[];
}

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;

/** Encodes a bundle as one file: a digest of the rest, the length of the contents, the contents as JSON, and the bytes. */
export function encodeBundle({ assets, first }: Bundle): Uint8Array {
  const entries = [...assets];
  const contents: Contents = {
    first,
    assets: entries.map(([name, { contentType, content }]) => ({
      name,
      contentType,
      hash: content.hash,
      brotliBytes: content.brotli.byteLength,
      gzipBytes: content.gzip.byteLength,
    })),
  };
  const json = Buffer.from(JSON.stringify(contents));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.byteLength);
  const body = Buffer.concat([length, json, ...entries.flatMap(([, { content }]) => [content.brotli, content.gzip])]);
  return Buffer.concat([digestOf(body), body]);
}

/** Returns `null` for a damaged file, or one that is not a bundle. */
export function decodeBundle(file: Uint8Array): Bundle | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const body = bytes.subarray(DIGEST_BYTES);
  if (body.byteLength < LENGTH_BYTES || !digestOf(body).equals(bytes.subarray(0, DIGEST_BYTES))) return null;
  let position = LENGTH_BYTES + body.readUInt32LE(0);
  // The digest proves that it is unchanged since it was written.
  const { first, assets }: Contents = JSON.parse(body.toString('utf8', LENGTH_BYTES, position));
  const take = (length: number) => {
    position += length;
    return new Uint8Array(body.subarray(position - length, position));
  };
  return {
    first,
    assets: new Map(
      assets.map(({ name, contentType, hash, brotliBytes, gzipBytes }) => [
        name,
        { contentType, content: { hash, brotli: take(brotliBytes), gzip: take(gzipBytes) } },
      ]),
    ),
  };
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
