import type { UploadedFile } from '../media/uploaded-file.ts';

/* The canonical form of requests to write down speech, and of their answers. Every wire of them converts from it and to it. */

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export const GRANULARITIES = ['word', 'segment'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Settings of OpenAI's voice detection (`VadConfig`); `null` stands for what the client did not say. */
export interface VoiceDetection {
  readonly prefixPaddingMs: number | null;
  readonly silenceDurationMs: number | null;
  /** 0 to 1. */
  readonly threshold: number | null;
}

/** `null` stands for what the client did not say; the model's own default holds then. */
export interface TranscriptionRequest {
  /** The public id of the model. */
  readonly model: string;
  /** A translation is always into English. */
  readonly kind: 'transcription' | 'translation';
  readonly file: UploadedFile;
  /** Sniffed from the file's first bytes, such as `audio/mpeg`. */
  readonly mediaType: string;
  /** Of the file as the gateway has measured it, in milliseconds; `null` where it could not. */
  readonly durationMs: number | null;
  /** An ISO 639 code, with subtags where the client wrote some (`en`, `pt-BR`). Always `null` of a translation. */
  readonly language: string | null;
  readonly languages: readonly string[];
  readonly prompt: string | null;
  readonly keywords: readonly string[];
  readonly format: TranscriptFormat;
  /** 0 to 1. */
  readonly temperature: number | null;
  /** Only of `verbose_json`; empty where the client named none. */
  readonly granularities: readonly Granularity[];
  /** The log probabilities of the tokens are wanted. */
  readonly logprobs: boolean;
  readonly stream: boolean;
  readonly chunking: 'auto' | VoiceDetection | null;
  readonly speakerNames: readonly string[];
  /** Data URIs, one for each of `speakerNames`. */
  readonly speakerReferences: readonly string[];
  /** The members of `provider_options`: what only one provider knows, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Text parts that the gateway does not know, as the client sent them, for an upstream of the same format. */
  readonly others: ReadonlyMap<string, readonly string[]>;
}

/** Whether the answer has to say when each word was spoken. */
export function wantsWords({ granularities }: Pick<TranscriptionRequest, 'granularities'>): boolean {
  return granularities.includes('word');
}

/** Whether the answer has to say when each sentence or so was spoken. */
export function wantsSegments({
  format,
  granularities,
}: Pick<TranscriptionRequest, 'format' | 'granularities'>): boolean {
  if (format === 'verbose_json') return granularities.length === 0 || granularities.includes('segment');
  return format === 'srt' || format === 'vtt' || format === 'diarized_json';
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
  /** Of the speech, as the upstream says it: a name (`english`) or a code (`en`, `eng`). */
  readonly language: string | null;
  /** Of the audio, in seconds, as the upstream has measured it. */
  readonly duration: number | null;
  /** Seconds that the upstream says it has billed, where it says that beside the duration. */
  readonly billedSeconds: number | null;
  /** `null` where the upstream tells none. */
  readonly segments: readonly TranscriptSegment[] | null;
  readonly words: readonly TranscriptWord[] | null;
  readonly tokens: TranscriptionTokens | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** The whole answer where the upstream gave it in the format that the client gets: all of its members are passed on. */
  readonly own: Readonly<Record<string, unknown>> | null;
  /** The whole answer where the upstream wrote it as the client's `text`, `srt` or `vtt`: it is passed on. */
  readonly written?: string;
}

export const EMPTY_TRANSCRIPT: Transcript = {
  text: '',
  language: null,
  duration: null,
  billedSeconds: null,
  segments: null,
  words: null,
  tokens: null,
  model: null,
  own: null,
};

/** One event of a transcript that comes piece by piece. */
export type TranscriptEvent =
  /** `own`: all members of the event, where the upstream's are OpenAI's. */
  | { readonly type: 'delta'; readonly text: string; readonly own: Readonly<Record<string, unknown>> | null }
  | {
      readonly type: 'segment';
      readonly segment: TranscriptSegment;
      readonly own: Readonly<Record<string, unknown>> | null;
    }
  | { readonly type: 'done'; readonly transcript: Transcript }
  /** An event of OpenAI's that the gateway does not know. */
  | { readonly type: 'other'; readonly own: Readonly<Record<string, unknown>> };
