import { pngOf } from '../../shared/png.ts';

/* Images of each kind that the contract accepts, as clients send them. */

/** A JPEG whose frame header declares 256 × 256 pixels (ITU-T T.81, B.2.2); it has no image data. */
const JPEG = Buffer.from(
  '\xff\xd8\xff\xc0\x00\x11\x08\x01\x00\x01\x00\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xd9',
  'latin1',
);
/** A WebP whose extended header declares 256 × 256 pixels (RFC 9649, 2.7); it has no image data. */
const WEBP = Buffer.from('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\0\0\xff\0\0', 'latin1');
/** A GIF whose screen descriptor declares 64 × 64 pixels; it has no image data. */
const GIF = Buffer.from('GIF89a\x40\0\x40\0\x80\0\0\0\0\0\xff\xff\xff;', 'latin1');
const WIDE = pngOf({ width: 256, height: 128 });
const TINY = pngOf({ width: 8, height: 8 });
const LARGE = Buffer.concat([pngOf({ width: 256, height: 256 }), Buffer.alloc(5_000_001)]);

export const SQUARE = pngOf({ width: 64, height: 64, alpha: true });

/** Images, keyed by what is special about each; the declared media type is often wrong. */
export const IMAGE_URIS: Readonly<Record<string, string>> = {
  png: uri('image/png', SQUARE),
  gif: uri('image/gif', GIF),
  'a JPEG called PNG': uri('image/png', JPEG),
  'a WebP called JPEG': uri('image/jpg', WEBP),
  wide: uri('image/png', WIDE),
  tiny: uri('image/png', TINY),
  large: uri('image/png', LARGE),
  'a URL': 'https://pictures.example/fox.png',
};

function uri(label: string, bytes: Buffer): string {
  return `data:${label};base64,${bytes.toString('base64')}`;
}
