import type { SpeechReader, SpeechRequest, SpeechUsage } from '../../../domain/audio/speech.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import {
  bodyNoAnswer,
  bodyNotJson,
  eventNotJson,
  eventTooLarge,
  garbage,
  truncatedStream,
} from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { parseJson, parseJsonBytes } from '../../shared/json/json-text.ts';
import { countOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { joinPieces } from '../../shared/stream/relay-pieces.ts';
import { EventReader, EventTooLarge } from '../../shared/stream/sse.ts';
import { AudioReader, type AudioSource } from './audio-reader.ts';
import { chooseFormat, type SpeechTraits } from './speech-request.ts';

/* Read upstreams' speech answers: audio itself, events with pieces of it, or one object with all of it. */

const EMPTY = new Uint8Array(0);

/** The contents of one JSON object from an upstream: an event, or the whole answer. */
export interface SpeechPart {
  readonly audio: Uint8Array | null;
  readonly mediaType?: string | null;
  readonly usage?: SpeechUsage | null;
  /** Set if nothing follows. */
  readonly isEnd?: true;
}

/** Describes how a provider writes audio in JSON. `read` fails for an object that should have audio and has none. */
export interface SpeechJson {
  read(object: Readonly<Record<string, unknown>>): SpeechPart | Failure;
  /** Whether a stream of events ends with a mark (`isEnd`, or the text `[DONE]`); without it the stream is incomplete. */
  readonly hasEndMark: boolean;
}

/** Returns the reader for an answer with these headers. `json` is `null` for a provider that never puts audio into JSON. */
export function openSpeech(
  headers: AnswerHeaders,
  request: SpeechRequest,
  traits: Pick<SpeechTraits, 'formats'>,
  { json, characters = null }: { readonly json: SpeechJson | null; readonly characters?: number | null },
): SpeechReader | Failure {
  const choice = chooseFormat(request.format, traits.formats);
  if (choice instanceof Failure) return choice;
  const declared = headers.get('content-type');
  const type = declared?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') {
    return json === null ? notAudio(type) : new AudioReader(new SpeechEvents(json), choice, characters);
  }
  if (type === 'application/json' || type.endsWith('+json')) {
    return new AudioReader(new SpeechObject(json), choice, characters);
  }
  if (type.startsWith('text/') || type.startsWith('image/') || type.startsWith('video/')) return notAudio(type);
  return new AudioReader(new PlainAudio(declared), choice, characters);
}

function notAudio(type: string): Failure {
  return garbage(`The upstream answered 200 with ${type.slice(0, 60)} instead of audio.`);
}

class PlainAudio implements AudioSource {
  readonly failure = null;
  readonly usage = null;

  constructor(readonly mediaType: string | null) {}

  push(piece: Uint8Array): Uint8Array {
    return piece;
  }

  end(): Uint8Array {
    return EMPTY;
  }
}

class SpeechEvents implements AudioSource {
  failure: Failure | null = null;
  usage: SpeechUsage | null = null;
  mediaType: string | null = null;
  private readonly events = new EventReader();
  private isOver = false;

  constructor(private readonly json: SpeechJson) {}

  push(piece: Uint8Array): Uint8Array {
    const audio: Uint8Array[] = [];
    try {
      this.events.push(piece, ({ data }) => this.event(data, audio));
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.failure = eventTooLarge();
    }
    return joinPieces(audio);
  }

  end(): Uint8Array {
    const audio: Uint8Array[] = [];
    this.events.end(({ data }) => this.event(data, audio));
    if (this.failure === null && this.json.hasEndMark && !this.isOver) this.failure = truncatedStream();
    return joinPieces(audio);
  }

  private event(data: string, audio: Uint8Array[]): void {
    if (this.isOver || this.failure !== null || data === '') return;
    if (data === '[DONE]') {
      this.isOver = true;
      return;
    }
    const object = parseJson(data);
    if (!isRecord(object)) {
      this.failure = eventNotJson();
      return;
    }
    const part = failureIn(object) ?? this.json.read(object);
    if (part instanceof Failure) {
      this.failure = part;
      return;
    }
    if (part.audio !== null && part.audio.length > 0) audio.push(part.audio);
    this.usage = part.usage ?? this.usage;
    this.mediaType = part.mediaType ?? this.mediaType;
    if (part.isEnd === true) this.isOver = true;
  }
}

class SpeechObject implements AudioSource {
  failure: Failure | null = null;
  usage: SpeechUsage | null = null;
  mediaType: string | null = null;
  private readonly pieces: Uint8Array[] = [];

  constructor(private readonly json: SpeechJson | null) {}

  push(piece: Uint8Array): Uint8Array {
    this.pieces.push(piece);
    return EMPTY;
  }

  end(): Uint8Array {
    const object = parseJsonBytes(joinPieces(this.pieces));
    const part = this.partOf(object);
    if (part instanceof Failure) {
      this.failure = part;
      return EMPTY;
    }
    this.usage = part.usage ?? null;
    this.mediaType = part.mediaType ?? null;
    return part.audio ?? EMPTY;
  }

  private partOf(object: unknown): SpeechPart | Failure {
    if (object === undefined) return bodyNotJson();
    if (!isRecord(object)) return bodyNoAnswer();
    return failureIn(object) ?? this.json?.read(object) ?? bodyNoAnswer();
  }
}

function failureIn(object: Readonly<Record<string, unknown>>): Failure | null {
  return failureInAnswer(object.error) ?? (object.type === 'error' ? failureInAnswer(object) : null);
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}\s*$/;

/** Decodes base64 audio; fails for anything else. */
export function audioOfBase64(value: unknown): Uint8Array | Failure {
  if (typeof value === 'string' && BASE64.test(value)) return Buffer.from(value, 'base64');
  return garbage('The upstream returned audio that is not base64.');
}

/** The objects of OpenAI, Mistral and Together, which differ only in the name of the member with the audio. */
export const OPENAI_SPEECH_JSON: SpeechJson = {
  hasEndMark: true,
  read({ type, audio, audio_data, b64, usage }) {
    if (type === 'speech.audio.done') return { audio: null, usage: tokensOf(usage), isEnd: true };
    const text = audio ?? audio_data ?? b64;
    // Unknown kinds of events carry no audio.
    if (text === undefined) return typeof type === 'string' ? { audio: null } : bodyNoAnswer();
    const bytes = audioOfBase64(text);
    return bytes instanceof Failure ? bytes : { audio: bytes, usage: tokensOf(usage) };
  },
};

/** Reads tokens under OpenAI's names and under Mistral's. */
export function tokensOf(usage: unknown): SpeechUsage | null {
  if (!isRecord(usage)) return null;
  const inputTokens = countOrNull(usage.input_tokens) ?? countOrNull(usage.prompt_tokens);
  const outputTokens = countOrNull(usage.output_tokens) ?? countOrNull(usage.completion_tokens);
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
}

/** Returns the number in a header; `null` for anything else. */
export function countInHeader(headers: AnswerHeaders, name: string): number | null {
  const text = headers.get(name)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
