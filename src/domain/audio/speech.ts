import type { Failure } from '../failure/failure.ts';

/* The canonical form of requests for spoken text and of their answers. Every wire of speech converts from it and to it. */

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** The media type of a file in each format; `pcm` is 24 kHz, 16 bit, signed, little-endian, mono, without a header. */
export const SPEECH_MEDIA_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** The samples of a second of `pcm`. */
export const SPEECH_SAMPLE_RATE = 24_000;

/** `null` stands for what the client did not say; the model's own default holds then. */
export interface SpeechRequest {
  /** The public id of the model. */
  readonly model: string;
  readonly input: string;
  /** A name of the model's or of OpenAI's voices, or the id of a voice; the wire maps it. */
  readonly voice: string | null;
  /** The client named the voice as an object (`{id}`): it is the id of a voice of its own. */
  readonly isCustomVoice: boolean;
  readonly instructions: string | null;
  /** `null`: mp3 if the model has it, else wav. */
  readonly format: SpeechFormat | null;
  /** 0.25 to 4. */
  readonly speed: number | null;
  /** As an ISO 639-1 code, with or without a region (`en`, `pt-BR`). */
  readonly language: string | null;
  /** Whether the client wants the audio as such or as server-sent events. */
  readonly delivery: 'audio' | 'sse';
  /** The members of `provider_options`: what only one provider knows, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body, for an upstream of the same format. */
  readonly bytes: Uint8Array;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SpeechUsage {
  readonly inputTokens: number;
  /** Of audio. */
  readonly outputTokens: number;
}

/**
 * Turns an upstream's answer into audio. It is given the answer's bytes as they come, split anywhere; a whole answer in JSON
 * comes as one piece.
 */
export interface SpeechReader {
  /** Of the audio that `push` returns; known once it has returned some. */
  readonly mediaType: string;
  push(piece: Uint8Array): Uint8Array;
  /** The answer has ended: returns what was held back. */
  end(): Uint8Array;
  /** Set if the answer is no audio, carries an error or ended before its natural end. */
  readonly failure: Failure | null;
  /** Set after `end` if the upstream has reported it. */
  readonly usage: SpeechUsage | null;
  /** The characters that the upstream has charged, where it reports them. */
  readonly characters: number | null;
}

/** The characters of a text, as they are charged: code points, not the halves of surrogate pairs. */
export function charactersOf(text: string): number {
  let characters = 0;
  for (let at = 0; at < text.length; characters++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return characters;
}
