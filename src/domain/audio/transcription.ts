import type { UploadedFile } from '../media/uploaded-file.ts';

/* The canonical form of transcription requests and answers, to and from which every transcription wire converts. */

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export const GRANULARITIES = ['word', 'segment'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Settings of OpenAI's voice detection (`VadConfig`); `null` stands for a value that the client did not give. */
export interface VoiceDetection {
  readonly prefixPaddingMs: number | null;
  readonly silenceDurationMs: number | null;
  /** From 0 to 1. */
  readonly threshold: number | null;
}

/** `null` stands for a value that the client did not give; the model's own default applies. */
export interface TranscriptionRequest {
  /** The public id of the model. */
  readonly model: string;
  /** A translation is always into English. */
  readonly kind: 'transcription' | 'translation';
  readonly file: UploadedFile;
  /** Sniffed from the file's first bytes, such as `audio/mpeg`. */
  readonly mediaType: string;
  /** The length of the file as the gateway has measured it, in milliseconds; `null` if it could not. */
  readonly durationMs: number | null;
  /** An ISO 639 code, with subtags if the client gave some (`en`, `pt-BR`). Always `null` for a translation. */
  readonly language: string | null;
  readonly languages: readonly string[];
  readonly prompt: string | null;
  readonly keywords: readonly string[];
  readonly format: TranscriptFormat;
  /** From 0 to 1. */
  readonly temperature: number | null;
  /** Only for `verbose_json`; empty if the client named none. */
  readonly granularities: readonly Granularity[];
  /** Whether the client wants the tokens' log probabilities. */
  readonly logprobs: boolean;
  readonly stream: boolean;
  readonly chunking: 'auto' | VoiceDetection | null;
  readonly speakerNames: readonly string[];
  /** Data URIs, one for each of `speakerNames`. */
  readonly speakerReferences: readonly string[];
  /** The members of `provider_options`: a provider's specific parameters under its own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Text parts that the gateway does not know, as the client sent them, for an upstream of the same format. */
  readonly others: ReadonlyMap<string, readonly string[]>;
}

/** Returns whether the answer has to include the times of words. */
export function wantsWords({ granularities }: Pick<TranscriptionRequest, 'granularities'>): boolean {
  return granularities.includes('word');
}

/** Returns whether the answer has to include the times of segments. */
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
  /** Further members under OpenAI's names, if the upstream has them (`avg_logprob`, `no_speech_prob` …). */
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
  /** The language of the speech in the upstream's words: a name (`english`) or a code (`en`, `eng`). */
  readonly language: string | null;
  /** The length of the audio in seconds, as the upstream has measured it. */
  readonly duration: number | null;
  /** The seconds that the upstream says it has billed, if it reports that in addition to the duration. */
  readonly billedSeconds: number | null;
  /** `null` if the upstream reports none. */
  readonly segments: readonly TranscriptSegment[] | null;
  readonly words: readonly TranscriptWord[] | null;
  readonly tokens: TranscriptionTokens | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** The whole answer if the upstream sent it in the client's format: all of its members are passed on. */
  readonly own: Readonly<Record<string, unknown>> | null;
  /** The whole answer if the upstream wrote it as the client's `text`, `srt` or `vtt`: it is passed on. */
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

/** One event of a streamed transcript. */
export type TranscriptEvent =
  /** `own`: all members of the event, if the upstream's are OpenAI's. */
  | { readonly type: 'delta'; readonly text: string; readonly own: Readonly<Record<string, unknown>> | null }
  | {
      readonly type: 'segment';
      readonly segment: TranscriptSegment;
      readonly own: Readonly<Record<string, unknown>> | null;
    }
  | { readonly type: 'done'; readonly transcript: Transcript }
  /** An event of OpenAI's that the gateway does not know. */
  | { readonly type: 'other'; readonly own: Readonly<Record<string, unknown>> };
