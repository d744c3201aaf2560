import type { UploadedFile } from '../media/uploaded-file.ts';
/* The canonical form of requests to write down speech, and of their answers. Every wire of them converts from it and to it. */

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** `null` stands for what the client did not say; the model's own default holds then. */
export interface TranscriptionRequest {
  /** The public id of the model. */
  readonly model: string;
  /** A translation is always into English. */
  readonly kind: 'transcription' | 'translation';
  readonly file: UploadedFile;
  /** Sniffed from the file's first bytes, else as declared or by its name, such as `audio/mpeg`. */
  readonly mediaType: string;
  /** Of the file as the gateway has measured it, in milliseconds; `null` where it could not. */
  readonly durationMs: number | null;
  /** As an ISO 639-1 code. */
  readonly language: string | null;
  readonly languages: readonly string[];
  readonly prompt: string | null;
  readonly keywords: readonly string[];
  readonly format: TranscriptFormat;
  /** 0 to 1. */
  readonly temperature: number | null;
  readonly granularities: readonly ('word' | 'segment')[];
  /** The log probabilities of the tokens are wanted. */
  readonly logprobs: boolean;
  readonly stream: boolean;
  /** `auto`, or an object, as the client wrote it. */
  readonly chunkingStrategy: unknown;
  readonly speakerNames: readonly string[];
  /** Data URIs, one for each of `speakerNames`. */
  readonly speakerReferences: readonly string[];
  /** The members of `provider_options`: what only one provider knows, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** All text parts as the client sent them, for an upstream of the same format. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** Times are in seconds from the beginning of the file. */
export interface TranscriptSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker: string | null;
  /** Further members in OpenAI's names, where the upstream has them (`avg_logprob`, `no_speech_prob` …). */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface TranscriptWord {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly speaker: string | null;
}

/** Tokens in parts that do not overlap. */
export interface TranscriptionTokens {
  readonly textInput: number;
  readonly audioInput: number;
  readonly output: number;
}

export interface Transcript {
  readonly text: string;
  /** As the upstream says it: a name (`english`) or a code (`en`). */
  readonly language: string | null;
  /** Of the audio, in seconds, as the upstream has measured it. */
  readonly duration: number | null;
  /** `null` where the upstream tells none. */
  readonly segments: readonly TranscriptSegment[] | null;
  readonly words: readonly TranscriptWord[] | null;
  readonly tokens: TranscriptionTokens | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** Further members of the upstream's answer in OpenAI's names (`logprobs`). */
  readonly details: Readonly<Record<string, unknown>>;
}

/** One event of a transcript that comes piece by piece. */
export type TranscriptEvent =
  | { readonly type: 'delta'; readonly text: string; readonly details: Readonly<Record<string, unknown>> }
  | { readonly type: 'segment'; readonly segment: TranscriptSegment }
  | { readonly type: 'done'; readonly transcript: Transcript };
