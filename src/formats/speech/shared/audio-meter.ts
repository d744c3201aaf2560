import { SPEECH_SAMPLE_RATE, type SpeechFormat } from '../../../domain/audio/speech.ts';
import { readWavHeader } from '../../../domain/audio/wav.ts';
import { concat } from '../../shared/stream/sse.ts';

/** Measures the length of audio as it passes through. */
export interface AudioMeter {
  push(bytes: Uint8Array): void;
  /** The length of the audio so far in milliseconds; `null` if the bytes do not reveal it. */
  readonly durationMs: number | null;
}

/** Returns a meter for a format; `sampleRate` applies to samples without a header. */
export function audioMeter(format: SpeechFormat | null, sampleRate = SPEECH_SAMPLE_RATE): AudioMeter {
  switch (format) {
    case 'pcm':
      return new SampleMeter(sampleRate * 2);
    case 'wav':
      return new WavMeter();
    case 'mp3':
      return new FrameMeter(mp3Frame, 4);
    case 'aac':
      return new FrameMeter(adtsFrame, 7);
    case 'opus':
      return new OggMeter();
    case 'flac':
      return new FlacMeter();
    case null:
      return { push: () => undefined, durationMs: null };
  }
}

class SampleMeter implements AudioMeter {
  private bytes = 0;

  constructor(private readonly bytesPerSecond: number) {}

  push({ length }: Uint8Array): void {
    this.bytes += length;
  }

  get durationMs(): number {
    return Math.ceil((this.bytes * 1_000) / this.bytesPerSecond);
  }
}

class WavMeter implements AudioMeter {
  private head: Uint8Array = new Uint8Array(0);
  private samples: SampleMeter | null = null;
  private isWav = true;

  push(bytes: Uint8Array): void {
    this.samples?.push(bytes);
    if (this.samples !== null || !this.isWav) return;
    this.head = concat(this.head, bytes);
    const header = readWavHeader(this.head);
    if (header === undefined) return;
    if (header === null) this.isWav = false;
    else {
      this.samples = new SampleMeter(header.bytesPerSecond);
      this.samples.push(this.head.subarray(header.dataStart));
    }
    this.head = new Uint8Array(0);
  }

  get durationMs(): number | null {
    return this.samples?.durationMs ?? null;
  }
}

interface Frame {
  /** The length of the frame, including the header. */
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
}

/** Steps from frame to frame, each of which states its own length. Anything between frames (tags, broken bytes) is skipped. */
class FrameMeter implements AudioMeter {
  private readonly header: number[] = [];
  private skip = 0;
  private ms = 0;
  private frames = 0;

  constructor(
    private readonly read: (header: readonly number[]) => Frame | null,
    private readonly headerBytes: number,
  ) {}

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.skip > 0) {
        const passed = Math.min(this.skip, bytes.length - at);
        this.skip -= passed;
        at += passed;
        continue;
      }
      this.header.push(bytes[at] ?? 0);
      at++;
      if (this.header.length === TAG_BYTES || this.header.length === this.headerBytes) this.look();
    }
  }

  private look(): void {
    const { header } = this;
    if (header[0] === 0x49 && header[1] === 0x44 && header[2] === 0x33) {
      if (header.length < TAG_BYTES) return;
      // ID3v2: the size has seven bits per byte.
      this.skip = header.slice(6).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
      header.length = 0;
      return;
    }
    const frame = this.read(header);
    if (frame === null || frame.bytes < header.length) {
      header.shift();
      if (header.length >= this.headerBytes) this.look();
      return;
    }
    this.frames++;
    this.ms += (frame.samples * 1_000) / frame.sampleRate;
    this.skip = frame.bytes - header.length;
    header.length = 0;
  }

  get durationMs(): number | null {
    return this.frames === 0 ? null : Math.ceil(this.ms);
  }
}

const TAG_BYTES = 10;

const MPEG1_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_RATES = [44_100, 48_000, 32_000];

/** Reads a layer III frame (ISO/IEC 11172-3, 2.4.1.3). */
function mp3Frame([first = 0, second = 0, third = 0]: readonly number[]): Frame | null {
  const version = (second >> 3) & 3;
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || version === 1) return null;
  const kbits = (version === 3 ? MPEG1_KBITS : MPEG2_KBITS)[third >> 4] ?? 0;
  const rate = MPEG1_RATES[(third >> 2) & 3] ?? 0;
  if (kbits === 0 || rate === 0) return null;
  const sampleRate = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4;
  const samples = version === 3 ? 1_152 : 576;
  const bytes = Math.floor((samples * kbits * 125) / sampleRate) + ((third >> 1) & 1);
  return { bytes, samples, sampleRate };
}

const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/** Reads an ADTS header (ISO/IEC 13818-7, 6.2). */
function adtsFrame(header: readonly number[]): Frame | null {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = header;
  const sampleRate = ADTS_RATES[(third >> 2) & 15];
  if (first !== 0xff || (second & 0xf6) !== 0xf0 || sampleRate === undefined) return null;
  const bytes = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  return { bytes, samples: 1_024 * ((seventh & 3) + 1), sampleRate };
}

const PAGE_BYTES = 27;
/** Opus counts at 48 kHz, whatever its source (RFC 7845, section 4). */
const OPUS_SAMPLES_PER_MS = 48;

/** Measures Ogg pages (RFC 3533, section 6), each of which states its end position in the audio. */
class OggMeter implements AudioMeter {
  private page: number[] = [];
  private skip = 0;
  private samples: number | null = null;

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.skip > 0) {
        const passed = Math.min(this.skip, bytes.length - at);
        this.skip -= passed;
        at += passed;
        continue;
      }
      this.page.push(bytes[at] ?? 0);
      at++;
      this.look();
    }
  }

  private look(): void {
    const { page } = this;
    if (page.length <= 4 && page[page.length - 1] !== PAGE_MARK[page.length - 1]) {
      page.length = 0;
      return;
    }
    if (page.length < PAGE_BYTES) return;
    const segments = page[26] ?? 0;
    if (page.length < PAGE_BYTES + segments) return;
    this.skip = page.slice(PAGE_BYTES).reduce((sum, lacing) => sum + lacing, 0);
    const position = Buffer.from(page).readBigInt64LE(6);
    // -1 means that no packet ends on this page.
    if (position >= 0n && position <= BigInt(Number.MAX_SAFE_INTEGER)) this.samples = Number(position);
    page.length = 0;
  }

  get durationMs(): number | null {
    return this.samples === null ? null : Math.ceil(this.samples / OPUS_SAMPLES_PER_MS);
  }
}

const PAGE_MARK = [...Buffer.from('OggS')];

/** Measures FLAC (RFC 9639, section 8.2): the first block states the number of samples, if it was known when it was written. */
class FlacMeter implements AudioMeter {
  private head: number[] = [];

  push(bytes: Uint8Array): void {
    const missing = FLAC_HEADER_BYTES - this.head.length;
    if (missing > 0) this.head.push(...bytes.subarray(0, missing));
  }

  get durationMs(): number | null {
    const { head } = this;
    if (head.length < FLAC_HEADER_BYTES || ((head[4] ?? 0) & 0x7f) !== 0) return null;
    // From byte 18: 20 bits for the sample rate, 8 for channels and depth, 36 for the samples.
    const packed = Buffer.from(head).readBigUInt64BE(18);
    const sampleRate = Number(packed >> 44n);
    const samples = Number(packed & 0xf_ffff_ffffn);
    return sampleRate === 0 || samples === 0 ? null : Math.ceil((samples * 1_000) / sampleRate);
  }
}

const FLAC_HEADER_BYTES = 26;
