import { closestLanguage, primaryLanguage } from '../../../domain/audio/language-name.ts';
import type { TranscriptFormat, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import type { Carriage } from '../../../domain/exchange/loss.ts';
import type { WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { TEXT_ALONE, type TranscriptionRules } from './transcription-request.ts';

/** The abilities of one model behind OpenAI's API. */
export interface ModelRules extends TranscriptionRules {
  readonly streams: boolean;
  /**
   * The language codes that the model accepts: only ISO 639-1, or those of a list. It refuses others, such as `pt-BR`. Absent if
   * unknown.
   */
  readonly languages?: 'iso-639-1' | readonly string[];
  /** The model refuses requests that do not say how to split the recording. */
  readonly needsChunking?: true;
}

/** The languages of Whisper (github.com/openai/whisper, `tokenizer.py`). */
const WHISPER_LANGUAGES = [
  ...'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur'.split(' '),
  ...'hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si'.split(' '),
  ...'km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha'.split(' '),
  ...'ba jv su yue'.split(' '),
];

const ALL_HINTS = {
  language: 'exact',
  languages: 'exact',
  prompt: 'exact',
  keywords: 'exact',
  temperature: 'exact',
  chunking: 'exact',
} as const;

const OF_OTHER_MODELS = { verdict: 'dropped', why: 'only other models support it' } as const;

/**
 * OpenAI's own models, by its published document (`CreateTranscriptionRequest`). They have the same names at most providers; a
 * deployment at Azure may have any. The first match applies.
 */
const MODELS: readonly (readonly [models: RegExp, rules: ModelRules])[] = [
  [
    /transcribe-diarize/i,
    {
      ...TEXT_ALONE,
      translates: true,
      hasSegments: true,
      diarizes: true,
      knowsSpeakers: true,
      languages: 'iso-639-1',
      needsChunking: true,
      carries: { ...ALL_HINTS, prompt: OF_OTHER_MODELS, languages: OF_OTHER_MODELS, keywords: OF_OTHER_MODELS },
      streams: true,
    },
  ],
  [
    /gpt-4o(?:-mini)?-transcribe/i,
    {
      ...TEXT_ALONE,
      translates: true,
      hasLogprobs: true,
      languages: 'iso-639-1',
      carries: { ...ALL_HINTS, languages: OF_OTHER_MODELS, keywords: OF_OTHER_MODELS },
      streams: true,
    },
  ],
  [/gpt-transcribe/i, { ...TEXT_ALONE, translates: true, languages: 'iso-639-1', carries: ALL_HINTS, streams: true }],
  [
    /whisper/i,
    {
      ...TEXT_ALONE,
      translates: true,
      hasWords: true,
      hasSegments: true,
      languages: WHISPER_LANGUAGES,
      carries: { ...ALL_HINTS, languages: OF_OTHER_MODELS, keywords: OF_OTHER_MODELS, chunking: OF_OTHER_MODELS },
      streams: false,
    },
  ],
];

/** Other models get the client's request unchanged, and report themselves what they do not support. */
const OTHER_MODELS: ModelRules = {
  translates: true,
  carries: ALL_HINTS,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  knowsSpeakers: true,
  hasLogprobs: true,
  streams: true,
};

/** Returns a model's rules. A provider without `timestamp_granularities` reports no times, and has no format but `json`. */
export function rulesOf(target: WireTarget): ModelRules {
  const { members = {} } = target;
  const model = ruleModelOf(target);
  const rules = MODELS.find(([models]) => models.test(model))?.[1] ?? OTHER_MODELS;
  const lacks = (name: string) => members[name] === null;
  return {
    ...rules,
    ...(lacks('timestamp_granularities') && { hasWords: false, hasSegments: false }),
    ...(lacks('known_speaker_names') && { diarizes: false, knowsSpeakers: false }),
    ...(lacks('include') && { hasLogprobs: false }),
    ...(lacks('stream') && { streams: false }),
    carries: { ...rules.carries, ...lackedHints(lacks) },
  };
}

const NOT_LISTED: Carriage = {
  verdict: 'dropped',
  why: 'this language is not in the model’s list; the model detects the language itself',
};

/** Returns the rules for one request, with its languages spelled as the model takes them. */
export function rulesFor(
  request: TranscriptionRequest,
  target: WireTarget,
): { readonly rules: ModelRules; readonly language: string | null; readonly languages: readonly string[] } {
  const rules = rulesOf(target);
  const { language: wanted, kind } = request;
  const language = wanted === null ? null : spelled(wanted, rules);
  const languages = [...new Set(request.languages.flatMap((code) => spelled(code, rules) ?? []))];
  const isKnown = rules.languages !== undefined;
  return {
    rules: {
      ...rules,
      // OpenAI's published document, `CreateTranslationRequest`, has no word times.
      ...(kind === 'translation' && isKnown && { hasWords: false }),
      ...(wanted !== null && language === null && { carries: { ...rules.carries, language: NOT_LISTED } }),
    },
    language,
    languages,
  };
}

/** Some servers use this name for language detection. */
const DETECTED = 'auto';

function spelled(code: string, { languages }: ModelRules): string | null {
  if (languages === undefined || code === DETECTED) return code;
  return languages === 'iso-639-1' ? primaryLanguage(code) : closestLanguage(primaryLanguage(code), languages);
}

const HINT_NAMES = [
  ['language', 'language'],
  ['languages', 'languages'],
  ['prompt', 'prompt'],
  ['keywords', 'keywords'],
  ['temperature', 'temperature'],
  ['chunking', 'chunking_strategy'],
] as const;

function lackedHints(lacks: (name: string) => boolean): TranscriptionRules['carries'] {
  const lacked = HINT_NAMES.filter(([, name]) => lacks(name));
  return Object.fromEntries(
    lacked.map(([hint]) => [hint, { verdict: 'dropped', why: 'the provider does not support this field' }]),
  );
}

/** Returns the format to request: subtitles and plain text are written from the richer one, which reports usage. */
export function askedFormat(
  { format }: Pick<TranscriptionRequest, 'format'>,
  { hasSegments, hasWords, diarizes }: ModelRules,
): TranscriptFormat {
  if (format === 'json' || format === 'text') return 'json';
  if (format === 'diarized_json') return format;
  if (!hasSegments) return 'json';
  // A model that distinguishes speakers but not words has no other format with times.
  return diarizes && !hasWords ? 'diarized_json' : 'verbose_json';
}
