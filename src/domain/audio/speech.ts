import type { Failure } from '../failure/failure.ts';

/* The canonical form of speech requests and answers, to and from which every speech wire converts. */

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** The media type of each format; `pcm` is 24 kHz, 16 bit, signed, little-endian, mono, without a header. */
export const SPEECH_MEDIA_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** The samples per second of `pcm`. */
export const SPEECH_SAMPLE_RATE = 24_000;

/** `null` stands for a value that the client did not give; the model's own default applies. */
export interface SpeechRequest {
  /** The public id of the model. */
  readonly model: string;
  readonly input: string;
  /** A voice of the model or of OpenAI, or the id of a voice; the wire maps it. */
  readonly voice: string | null;
  /** Whether the client gave the voice as an object (`{id}`), which refers to a custom voice. */
  readonly isCustomVoice: boolean;
  readonly instructions: string | null;
  /** `null`: mp3 if the model has it, otherwise wav. */
  readonly format: SpeechFormat | null;
  /** From 0.25 to 4. */
  readonly speed: number | null;
  /** An ISO 639-1 code, with or without a region (`en`, `pt-BR`). */
  readonly language: string | null;
  /** Whether the client wants plain audio or server-sent events. */
  readonly delivery: 'audio' | 'sse';
  /** The members of `provider_options`: a provider's specific parameters under its own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body, for an upstream of the same format. */
  readonly bytes: Uint8Array;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SpeechUsage {
  readonly inputTokens: number;
  /** The number of audio tokens. */
  readonly outputTokens: number;
}

/**
 * Turns an upstream's answer into audio. It receives the answer's bytes as they arrive, split at any byte; a whole JSON answer
 * arrives as one piece.
 */
export interface SpeechReader {
  /** The type of the audio that `push` returns; known once it has returned some. */
  readonly mediaType: string;
  push(piece: Uint8Array): Uint8Array;
  /** Ends the answer: returns what was held back. */
  end(): Uint8Array;
  /** Set if the answer is not audio, carries an error or ended before its natural end. */
  readonly failure: Failure | null;
  /** Set after `end` if the upstream has reported usage. */
  readonly usage: SpeechUsage | null;
  /** The characters that the upstream charged, if it reports them. */
  readonly characters: number | null;
}

/** Returns the number of charged characters of a text: code points, not the halves of surrogate pairs. */
export function charactersOf(text: string): number {
  let characters = 0;
  for (let at = 0; at < text.length; characters++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return characters;
}
