import { audioKind, KIND_BYTES, looksLikeText } from '../../../domain/audio/audio-kind.ts';
import {
  SPEECH_MEDIA_TYPES,
  SPEECH_SAMPLE_RATE,
  type SpeechFormat,
  type SpeechReader,
  type SpeechUsage,
} from '../../../domain/audio/speech.ts';
import { isWav, readWavHeader, type WavHeader, wavHeader } from '../../../domain/audio/wav.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { garbage, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { concat } from '../../shared/stream/sse.ts';
import type { FormatChoice } from './speech-request.ts';

const EMPTY = new Uint8Array(0);

/** A source of audio: an answer that is audio itself, events, or JSON. */
export interface AudioSource {
  push(piece: Uint8Array): Uint8Array;
  end(): Uint8Array;
  readonly failure: Failure | null;
  readonly usage: SpeechUsage | null;
  /** The type that the upstream declares; `null` if it declares none. */
  readonly mediaType: string | null;
}

/**
 * Checks and converts an upstream's audio. Its first bytes take precedence over the declared type, because a server may ignore
 * the requested format. Text, such as an error page with status 200, is refused at once.
 */
export class AudioReader implements SpeechReader {
  mediaType: string;
  private problem: Failure | null = null;
  private head: Uint8Array | null = EMPTY;
  private converter: Converter | null = null;
  private wav: WavProgress | null = null;

  constructor(
    private readonly source: AudioSource,
    private readonly choice: FormatChoice,
    readonly characters: number | null,
  ) {
    this.mediaType = SPEECH_MEDIA_TYPES[choice.given];
  }

  get failure(): Failure | null {
    return this.problem ?? this.source.failure;
  }

  get usage(): SpeechUsage | null {
    return this.source.usage;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.problem !== null) return EMPTY;
    return this.take(this.source.push(piece));
  }

  end(): Uint8Array {
    if (this.problem !== null) return EMPTY;
    const last = this.take(this.source.end());
    const held = this.head !== null && this.head.length > 0 ? this.decide(this.head) : EMPTY;
    if (this.failure === null && this.wav?.isShort === true) this.problem = truncatedStream();
    return last.length === 0 ? held : held.length === 0 ? last : concat(last, held);
  }

  private take(audio: Uint8Array): Uint8Array {
    if (audio.length === 0) return audio;
    if (this.head === null) return this.convert(audio);
    const head = this.head.length === 0 ? audio : concat(this.head, audio);
    if (head.length >= KIND_BYTES) return this.decide(head);
    this.head = head;
    return EMPTY;
  }

  private decide(head: Uint8Array): Uint8Array {
    this.head = null;
    const { given, asked, isNamed } = this.choice;
    const declared = declaredType(this.source.mediaType);
    const beginning = head.subarray(0, KIND_BYTES);
    if (looksLikeText(beginning)) return this.fail(garbage('The upstream answered 200 with text instead of audio.'));
    const areSamples = (declared?.format ?? asked) === 'pcm';
    const kind = areSamples && !isWav(beginning) ? null : audioKind(beginning);
    const found = kind ?? declared?.format ?? (declared === null ? asked : null);
    const sampleRate = declared?.sampleRate ?? SPEECH_SAMPLE_RATE;
    if (found === 'wav') this.wav = new WavProgress();
    if (found === 'wav' && given === 'pcm') this.converter = new WavToPcm();
    else if (found === 'pcm' && given === 'wav') this.converter = new PcmToWav(sampleRate);
    else if (isNamed && kind !== null && kind !== given) return this.fail(formatIgnored(given, kind));
    else this.mediaType = typeOf(found, declared, sampleRate);
    return this.convert(head);
  }

  private convert(audio: Uint8Array): Uint8Array {
    this.wav?.push(audio);
    if (this.converter === null) return audio;
    const converted = this.converter.push(audio);
    if (converted instanceof Failure) return this.fail(converted);
    if (converted.length > 0) this.mediaType = this.converter.mediaType;
    return converted;
  }

  private fail(failure: Failure): Uint8Array {
    this.problem = failure;
    return EMPTY;
  }
}

interface DeclaredType {
  readonly text: string;
  readonly format: SpeechFormat | null;
  /** The sample rate of samples without a header. */
  readonly sampleRate: number | null;
}

const AUDIO_TYPE = /^audio\/([a-z0-9.+-]{1,60})((?:\s*;\s*[\w.+-]{1,40}=[\w.+"-]{1,60})*)$/i;

const FORMATS: Readonly<Record<string, SpeechFormat>> = {
  mpeg: 'mp3',
  mp3: 'mp3',
  wav: 'wav',
  'x-wav': 'wav',
  wave: 'wav',
  'vnd.wave': 'wav',
  ogg: 'opus',
  opus: 'opus',
  aac: 'aac',
  aacp: 'aac',
  'x-aac': 'aac',
  flac: 'flac',
  'x-flac': 'flac',
  pcm: 'pcm',
  l16: 'pcm',
  raw: 'pcm',
};

/** Returns a declared audio type; others say nothing, because many servers declare everything as a stream of bytes. */
function declaredType(text: string | null): DeclaredType | null {
  const found = AUDIO_TYPE.exec(text?.trim() ?? '');
  if (found === null) return null;
  const [whole, subtype = '', parameters = ''] = found;
  const name = subtype.toLowerCase();
  const rate = Number(/;\s*(?:sample_?)?rate=(\d{4,6})/i.exec(parameters)?.[1] ?? Number.NaN);
  const format = Object.hasOwn(FORMATS, name) ? (FORMATS[name] ?? null) : null;
  return { text: whole, format, sampleRate: Number.isNaN(rate) ? null : rate };
}

/**
 * Returns the media type; a correct declared type stays. Samples are always `audio/pcm`, because L16 means the opposite byte
 * order.
 */
function typeOf(found: SpeechFormat | null, declared: DeclaredType | null, sampleRate: number): string {
  if (found === 'pcm') return pcmType(sampleRate);
  if (declared !== null && (found === null || declared.format === found)) return declared.text;
  return SPEECH_MEDIA_TYPES[found ?? 'mp3'];
}

function pcmType(sampleRate: number): string {
  return sampleRate === SPEECH_SAMPLE_RATE ? SPEECH_MEDIA_TYPES.pcm : `${SPEECH_MEDIA_TYPES.pcm};rate=${sampleRate}`;
}

function formatIgnored(wanted: SpeechFormat, kind: SpeechFormat): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`response_format\` has no effect on this model's channel: it returns ${kind}, not ${wanted}.`,
    param: 'response_format',
    retry: 'other-target',
    hint: `Ask for \`${kind}\`, or leave \`response_format\` out.`,
  });
}

/** Compares the samples of a WAV file with the length in its header. */
class WavProgress {
  private head: Uint8Array | null = EMPTY;
  private missing = 0;

  push(bytes: Uint8Array): void {
    if (this.head === null) {
      this.missing -= bytes.length;
      return;
    }
    this.head = concat(this.head, bytes);
    const header = readWavHeader(this.head);
    if (header === undefined) return;
    const { length } = this.head;
    this.head = null;
    if (header !== null && header.dataBytes !== null) this.missing = header.dataBytes - (length - header.dataStart);
  }

  get isShort(): boolean {
    return this.missing > 0;
  }
}

interface Converter {
  readonly mediaType: string;
  push(bytes: Uint8Array): Uint8Array | Failure;
}

class PcmToWav implements Converter {
  readonly mediaType = SPEECH_MEDIA_TYPES.wav;
  private isFirst = true;

  constructor(private readonly sampleRate: number) {}

  push(bytes: Uint8Array): Uint8Array {
    if (!this.isFirst) return bytes;
    this.isFirst = false;
    return concat(wavHeader(null, this.sampleRate), bytes);
  }
}

/** Removes the header. Floats become 16-bit integers, which is what `pcm` means to OpenAI's clients. */
class WavToPcm implements Converter {
  mediaType = SPEECH_MEDIA_TYPES.pcm;
  private held = EMPTY;
  private header: WavHeader | null = null;
  /** The number of sample bytes still to come; anything after them is not audio. */
  private left = Number.POSITIVE_INFINITY;

  push(bytes: Uint8Array): Uint8Array | Failure {
    if (this.header !== null) return this.samples(bytes);
    this.held = concat(this.held, bytes);
    const header = readWavHeader(this.held);
    if (header === undefined) return EMPTY;
    if (header === null || header.channels !== 1 || !isReadable(header)) {
      return garbage('The upstream returned a WAV file that cannot be converted to 16-bit samples.');
    }
    this.header = header;
    this.left = header.dataBytes ?? Number.POSITIVE_INFINITY;
    this.mediaType = pcmType(header.sampleRate);
    const first = this.held.subarray(header.dataStart);
    this.held = EMPTY;
    return this.samples(first);
  }

  private samples(bytes: Uint8Array): Uint8Array {
    const audio = bytes.subarray(0, Math.min(bytes.length, this.left));
    this.left -= audio.length;
    return this.header?.samples === 'floats' ? this.integers(audio) : audio;
  }

  private integers(bytes: Uint8Array): Uint8Array {
    const all = this.held.length === 0 ? bytes : concat(this.held, bytes);
    const count = Math.floor(all.length / 4);
    const view = new DataView(all.buffer, all.byteOffset, count * 4);
    const out = new Uint8Array(count * 2);
    const target = new DataView(out.buffer);
    for (let index = 0; index < count; index++) {
      const sample = Math.max(-1, Math.min(1, view.getFloat32(index * 4, true) || 0));
      target.setInt16(index * 2, Math.round(sample * 0x7fff), true);
    }
    this.held = all.slice(count * 4);
    return out;
  }
}

function isReadable({ samples, bitsPerSample }: WavHeader): boolean {
  return (samples === 'integers' && bitsPerSample === 16) || (samples === 'floats' && bitsPerSample === 32);
}
