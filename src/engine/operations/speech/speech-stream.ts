import type { SpeechFormat, SpeechReader, SpeechRequest } from '../../../domain/audio/speech.ts';
import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { type Billable, ONE_REQUEST, type Quantity } from '../../../domain/money/quantity.ts';
import { garbage } from '../../../formats/shared/failure/answer-failure.ts';
import { concat } from '../../../formats/shared/stream/sse.ts';
import { type AudioMeter, audioMeter } from '../../../formats/speech/shared/audio-meter.ts';
import type { ResponseStream } from '../../call/lane.ts';
import type { SpeechSize } from './speech-size.ts';

const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();

/** Pieces of a multiple of this length have base64 that can be decoded piece by piece. */
const BASE64_GROUP = 3;
/** The most audio in one event, so that clients may begin to play before a large piece has been read. */
const AUDIO_IN_EVENT = 48 * 1024;

const FORMATS: Readonly<Record<string, SpeechFormat>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/aac': 'aac',
  'audio/aacp': 'aac',
  'audio/opus': 'opus',
  'audio/ogg': 'opus',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
};

/** Carries the audio of one answer to the client, as raw audio or as OpenAI's events. */
export class SpeechStream implements ResponseStream {
  readonly served: ServedAs = { model: null, serviceTier: null };
  started = false;
  finished = false;
  private problem: Failure | null = null;
  private meter: AudioMeter | null = null;
  /** The bytes of an incomplete base64 group. */
  private held: Uint8Array = EMPTY;

  constructor(
    private readonly reader: SpeechReader,
    private readonly delivery: SpeechRequest['delivery'],
    private readonly size: SpeechSize,
    private readonly routing: WrittenRouting,
  ) {}

  get failure(): Failure | null {
    return this.problem ?? this.reader.failure;
  }

  get contentType(): string {
    return this.delivery === 'sse' ? 'text/event-stream' : this.reader.mediaType;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.finished || this.failure !== null) return EMPTY;
    return this.write(this.reader.push(piece));
  }

  end(): Uint8Array {
    const last = this.write(this.reader.end());
    if (this.failure !== null) return last;
    if (!this.started) {
      this.problem = garbage('The upstream answered 200 without audio.');
      return EMPTY;
    }
    this.finished = true;
    return this.delivery === 'sse' ? concat(last, this.done()) : last;
  }

  /** Whether the upstream has reported the usage. */
  get isReported(): boolean {
    return this.reader.usage !== null;
  }

  /** Returns the billable quantities so far. Characters are those of the whole text, as providers charge. */
  billable(hasTokenPrices: boolean): Billable {
    const { usage, characters } = this.reader;
    const ms = this.durationMs();
    const quantities: Quantity[] = [
      // An upstream's count is used only if it is lower than the text's own.
      { unit: 'character', amount: Math.min(characters ?? this.size.characters, this.size.characters) },
      { unit: 'millisecond', amount: ms },
      ONE_REQUEST,
    ];
    const tokens = usage ?? (hasTokenPrices ? this.size.estimatedTokens(ms) : null);
    if (tokens !== null) {
      quantities.push({ unit: 'input_token', amount: tokens.inputTokens });
      quantities.push({ unit: 'audio_output_token', amount: tokens.outputTokens });
    }
    const isReported = usage !== null || (characters !== null && !hasTokenPrices);
    return { quantities, source: isReported ? 'reported' : 'estimated' };
  }

  private durationMs(): number {
    return this.meter?.durationMs ?? (this.started ? this.size.estimatedMs() : 0);
  }

  private write(audio: Uint8Array): Uint8Array {
    if (audio.length === 0) return audio;
    this.started = true;
    this.meter ??= meterOf(this.reader.mediaType);
    this.meter.push(audio);
    return this.delivery === 'sse' ? this.events(audio) : audio;
  }

  private events(audio: Uint8Array): Uint8Array {
    const all = this.held.length === 0 ? audio : concat(this.held, audio);
    const whole = all.length - (all.length % BASE64_GROUP);
    this.held = all.slice(whole);
    return utf8.encode(deltas(all.subarray(0, whole)));
  }

  private done(): Uint8Array {
    const { inputTokens, outputTokens } = this.reader.usage ?? this.size.estimatedTokens(this.durationMs());
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
    const event = JSON.stringify({ type: 'speech.audio.done', usage });
    return utf8.encode(`${deltas(this.held)}data: ${event.slice(0, -1)},"_routing":${this.routing.json}}\n\n`);
  }
}

function deltas(audio: Uint8Array): string {
  let text = '';
  for (let at = 0; at < audio.length; at += AUDIO_IN_EVENT) {
    const base64 = audio.subarray(at, at + AUDIO_IN_EVENT).toBase64();
    text += `data: {"type":"speech.audio.delta","audio":"${base64}"}\n\n`;
  }
  return text;
}

function meterOf(mediaType: string): AudioMeter {
  const [type = ''] = mediaType.split(';');
  const rate = /;\s*rate=(\d+)/.exec(mediaType)?.[1];
  return audioMeter(FORMATS[type.trim().toLowerCase()] ?? null, rate === undefined ? undefined : Number(rate));
}
