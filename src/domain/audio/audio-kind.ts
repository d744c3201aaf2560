import type { SpeechFormat } from './speech.ts';
import { isWav } from './wav.ts';

/** The number of bytes that suffice to recognize an answer. */
export const KIND_BYTES = 64;

/** Returns the format that a file's first bytes show; `null` if they show none, as for samples without a header. */
export function audioKind(bytes: Uint8Array): Exclude<SpeechFormat, 'pcm'> | null {
  if (isWav(bytes)) return 'wav';
  const first = bytes[0] ?? 0;
  const second = bytes[1] ?? 0;
  const letters = String.fromCharCode(...bytes.subarray(0, 4));
  if (letters.startsWith('ID3')) return 'mp3';
  if (letters === 'OggS') return 'opus';
  if (letters === 'fLaC') return 'flac';
  if (first !== 0xff) return null;
  // Eleven set bits; of the next five, the last two are the layer: 01 is layer III, and 00 is an ADTS frame of AAC.
  if ((second & 0xf6) === 0xf0) return 'aac';
  return (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08 ? 'mp3' : null;
}

/** Returns whether the bytes are text, such as an error page: no audio file begins with this many printable characters. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false;
  for (const byte of bytes) {
    const isPrintable = (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
    if (!isPrintable) return false;
  }
  return true;
}
