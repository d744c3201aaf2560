import { SPEECH_SAMPLE_RATE } from './speech.ts';

/* WAV files (RIFF), as far as the gateway reads and writes their headers. */

const HEADER_BYTES = 44;
/** The value for a size that was unknown when the header was written. */
const UNKNOWN_SIZE = 0xffff_ffff;
/** Headers with long lists of notes exist; a longer one is not accepted as a header. */
const LONGEST_HEADER = 64 * 1024;

const INTEGERS = 1;
const FLOATS = 3;
const EXTENSIBLE = 0xfffe;

export interface WavHeader {
  readonly samples: 'integers' | 'floats' | 'other';
  readonly channels: number;
  readonly sampleRate: number;
  readonly bitsPerSample: number;
  readonly bytesPerSecond: number;
  /** The offset of the samples. */
  readonly dataStart: number;
  /** Bytes of samples; `null` if the file does not state them, for example because it was streamed. */
  readonly dataBytes: number | null;
}

/** RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088) have RIFF's chunks and store their sizes, which may exceed 4 GB, elsewhere. */
const FORMS = ['RIFF', 'RF64', 'BW64'];

export function isWav(bytes: Uint8Array): boolean {
  return FORMS.some((form) => hasText(bytes, 0, form)) && hasText(bytes, 8, 'WAVE');
}

/** Returns the header at the beginning of a file; `undefined` if more bytes are needed, `null` if none exists. */
export function readWavHeader(bytes: Uint8Array): WavHeader | null | undefined {
  if (bytes.length < 12) return undefined;
  if (!isWav(bytes)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Omit<WavHeader, 'dataStart' | 'dataBytes'> | null = null;
  let at = 12;
  while (at + 8 <= bytes.length && at <= LONGEST_HEADER) {
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (hasText(bytes, at, 'data')) {
      if (format === null) return null;
      const dataBytes = size === 0 || size >= UNKNOWN_SIZE - LONGEST_HEADER ? null : size;
      return { ...format, dataStart: start, dataBytes };
    }
    if (hasText(bytes, at, 'fmt ')) {
      if (size < 16) return null;
      if (start + Math.min(size, 26) > bytes.length) return undefined;
      format = formatAt(view, start, size);
      if (format === null) return null;
    }
    // Chunks are padded to an even number of bytes.
    at = start + size + (size % 2);
  }
  return at > LONGEST_HEADER ? null : undefined;
}

function formatAt(view: DataView, start: number, size: number): Omit<WavHeader, 'dataStart' | 'dataBytes'> | null {
  const declared = view.getUint16(start, true);
  const code = declared === EXTENSIBLE && size >= 26 ? view.getUint16(start + 24, true) : declared;
  const channels = view.getUint16(start + 2, true);
  const sampleRate = view.getUint32(start + 4, true);
  const bitsPerSample = view.getUint16(start + 14, true);
  const bytesPerSecond = sampleRate * channels * (bitsPerSample / 8) || view.getUint32(start + 8, true);
  if (channels === 0 || channels > 8 || sampleRate < 4_000 || sampleRate > 384_000 || bytesPerSecond === 0) return null;
  const samples = code === INTEGERS ? 'integers' : code === FLOATS ? 'floats' : 'other';
  return { samples, channels, sampleRate, bitsPerSample, bytesPerSecond };
}

/** Returns the header of a file with 16-bit mono samples. Without `dataBytes` its sizes are unknown, as in OpenAI's files. */
export function wavHeader(dataBytes: number | null = null, sampleRate = SPEECH_SAMPLE_RATE): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === null ? UNKNOWN_SIZE : dataBytes + HEADER_BYTES - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(INTEGERS, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes ?? UNKNOWN_SIZE, 40);
  return new Uint8Array(header);
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
