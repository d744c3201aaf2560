import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { EMPTY_TRANSCRIPT, wantsSegments, wantsWords } from '../../../domain/audio/transcription.ts';
import type { Carriage } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { noText, secondsOrNull, wordsIn } from '../shared/transcript-answer.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TermRules,
  type TranscriptionRules,
  termsFor,
  withOptions,
} from '../shared/transcription-request.ts';
import type { TranscriptionWire } from '../wire.ts';

/** ElevenLabs' `POST /v1/speech-to-text` (its published document). */
export const elevenlabsTranscriptions: TranscriptionWire = {
  name: 'elevenlabs-transcriptions',
  operations: ['audio.transcriptions'],
  // Entities and keyterms cost extra; a speaker library and webhooks belong to the channel's owner.
  harmlessOptions: ['tag_audio_events', 'num_speakers', 'diarization_threshold', 'seed', 'no_verbatim'],
  encodeRequest(request, { upstreamModel }) {
    const hasTerms = !WITHOUT_TERMS.test(upstreamModel);
    const carries = hasTerms ? RULES.carries : { ...RULES.carries, keywords: NO_TERMS };
    const losses = lossesOf(request, { ...RULES, carries });
    if (losses instanceof Failure) return losses;
    const { language, temperature } = request;
    const { terms, lost } = termsFor(hasTerms ? request.keywords : [], TERMS);
    const hasTimes = wantsWords(request) || wantsSegments(request);
    const members = withOptions(
      {
        model_id: upstreamModel,
        language_code: language === null ? null : primaryLanguage(language),
        timestamps_granularity: hasTimes ? 'word' : 'none',
        diarize: request.format === 'diarized_json' ? true : null,
        temperature,
        keyterms: terms,
      },
      request,
    );
    if (members instanceof Failure) return members;
    return {
      ...formWithFile(members, request),
      losses: [...losses, ...lost],
    };
  },
  /** Decodes the answer. The list of words also has the spaces between them and sounds (`(laughs)`); both are part of the text. */
  decodeAnswer({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const text = textOrNull(body.text);
    if (text === null) return noText();
    const words = wordsIn(body.words, wordTold);
    if (words instanceof Failure) return words;
    return {
      ...EMPTY_TRANSCRIPT,
      text,
      words,
      language: nonEmptyText(body.language_code),
      duration: secondsOrNull(body.audio_duration_secs),
    };
  },
  decodeFailure,
};

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact', temperature: 'exact' },
};

/** From the published document of `keyterms`. */
const TERMS: TermRules = {
  isTaken: (term) => term.length < 50 && term.trim().split(/\s+/).length <= 5 && !/[<>{}[\]\\]/.test(term),
  most: 1_000,
  why: 'the provider accepts terms of at most 5 words and 49 characters, without angle brackets, braces, brackets and backslashes',
};

/** elevenlabs.io, "Keyterm prompting": available only from the second generation on. */
const WITHOUT_TERMS = /^scribe_v1/;
const NO_TERMS: Carriage = { verdict: 'dropped', why: 'only the provider’s later models accept them' };

type Members = Readonly<Record<string, unknown>>;

function wordTold({ start, end, text, type, speaker_id }: Members) {
  const hasTimes = start !== undefined && start !== null && end !== undefined && end !== null;
  return type === 'word' && hasTimes ? { start, end, text, speaker: speaker_id } : null;
}
