import type { UploadedFile } from '../../domain/media/uploaded-file.ts';
import { ForwardReader } from './forward-reader.ts';

/** The longest plausible recording: 25 MB are 14 hours at 4 kbit/s. A longer duration means a damaged or forged file. */
const LONGEST_MS = 100 * 3_600_000;

/** The most reads of a file with tables of contents; 1,500 seconds in WebM take 2,000. More would take too much memory. */
const MOST_READS = 50_000;
/** Without a table every frame is read: seven reads for each 26 ms, so this covers an hour. It takes a second, in slices. */
const MOST_READS_OF_MPEG = 1_000_000;

/** Types that the library does not know. One parser reads everything in an MP4 container. */
const PARSED_AS: Readonly<Record<string, string>> = { 'video/mp4': 'audio/mp4', 'video/mpeg': 'audio/mpeg' };

/** The highest rate of Opus (RFC 6716: 510 kbit/s) and Vorbis, plus the container's overhead. */
const MOST_BYTES_PER_SECOND_OF_OGG = 70_000;
/** A lossless codec adds headers to samples that it cannot compress. */
const LOSSLESS_OVERHEAD = 1.05;

/**
 * Resolves to the duration of an audio file in milliseconds, from its headers and frames, without decoding; `null` if they do not state it
 * (a browser's WebM recording) or cannot be read. `mediaType` is the result of `audioFormatOf`.
 */
export async function audioDurationMs(file: UploadedFile, mediaType: string): Promise<number | null> {
  const parsedAs = PARSED_AS[mediaType] ?? mediaType;
  const reader = new ForwardReader(file, parsedAs, parsedAs === 'audio/mpeg' ? MOST_READS_OF_MPEG : MOST_READS);
  try {
    if (parsedAs === 'audio/mpeg') await skipTags(reader);
    const { parseFromTokenizer } = await import('music-metadata');
    const { format } = await parseFromTokenizer(reader, { duration: true, skipCovers: true, skipPostHeaders: true });
    // Headers may understate the audio, and decoders play all of it.
    const seconds = Math.max(format.duration ?? 0, file.size / mostBytesPerSecond(parsedAs, format));
    const ms = Math.round(seconds * 1_000);
    return ms > 0 && ms <= LONGEST_MS ? ms : null;
  } catch {
    return null;
  } finally {
    await reader.close().catch(() => undefined);
  }
}

interface Sound {
  readonly codec?: string | undefined;
  readonly sampleRate?: number | undefined;
  readonly numberOfChannels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
}

function mostBytesPerSecond(mediaType: string, { codec = '', ...sound }: Sound): number {
  if (mediaType !== 'audio/flac' && mediaType !== 'audio/ogg') return Number.POSITIVE_INFINITY;
  const { sampleRate, numberOfChannels: channels, bitsPerSample: bits } = sound;
  if (/opus|vorbis/i.test(codec)) return MOST_BYTES_PER_SECOND_OF_OGG * Math.max(1, (channels ?? 2) / 2);
  if (mediaType !== 'audio/flac' || !sampleRate || !channels || !bits) return Number.POSITIVE_INFINITY;
  return ((sampleRate * channels * bits) / 8) * LOSSLESS_OVERHEAD;
}

/** Skips ID3v2 tags at the beginning (their sizes have seven bits per byte): they may be large, and do not state the duration. */
async function skipTags(reader: ForwardReader): Promise<void> {
  const head = new Uint8Array(10);
  for (;;) {
    const read = await reader.peekBuffer(head, { mayBeLess: true });
    const [i, d, three, , , , a = 0, b = 0, c = 0, e = 0] = head;
    if (read < head.length || i !== 0x49 || d !== 0x44 || three !== 0x33) break;
    await reader.ignore(head.length + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (e & 0x7f)));
  }
  reader.beginHere();
}
