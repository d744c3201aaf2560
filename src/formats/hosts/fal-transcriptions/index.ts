import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { EMPTY_TRANSCRIPT, wantsWords } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { listOf, nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { jsonWithFile } from '../../transcription/shared/json-with-file.ts';
import { noText, segmentsIn, wordsIn } from '../../transcription/shared/transcript-answer.ts';
import {
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
  withOptions,
} from '../../transcription/shared/transcription-request.ts';
import type { TranscriptionWire } from '../../transcription/wire.ts';
import { falPath, nextInFalQueue } from '../shared/fal-queue.ts';

/** Whisper and its relatives at fal (fal.ai, "Wizper" and "Whisper"), over fal's queue. */
export const falTranscriptions: TranscriptionWire = {
  name: 'fal-transcriptions',
  operations: ['audio.transcriptions', 'audio.translations'],
  // Billed by compute time, so an option that increases it (`batch_size`) is left out.
  harmlessOptions: ['num_speakers'],
  encodeRequest(request, { upstreamModel }) {
    const isWizper = upstreamModel.includes('wizper');
    const losses = lossesOf(request, isWizper ? WIZPER : WHISPER);
    if (losses instanceof Failure) return losses;
    const { kind, language, prompt, file, mediaType } = request;
    const members = withOptions(
      {
        audio_url: null,
        task: kind === 'translation' ? 'translate' : 'transcribe',
        language: language === null ? null : primaryLanguage(language),
        chunk_level: wantsWords(request) ? 'word' : 'segment',
        ...(isWizper ? {} : { prompt, diarize: request.format === 'diarized_json' ? true : null }),
      },
      request,
    );
    if (members instanceof Failure) return members;
    // Wizper assumes English unless it is told to detect the language.
    const detected = isWizper && language === null ? { language: null } : {};
    const body = jsonWithFile(file, (base64) => ({
      ...members,
      ...detected,
      audio_url: `data:${mediaType};base64,${base64}`,
    }));
    return { body, suffix: falPath(upstreamModel), losses };
  },
  next: nextInFalQueue,
  /** Decodes the answer; `chunks` are words if words were requested. */
  decodeAnswer({ bytes }, request) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const text = textOrNull(body.text);
    if (text === null) return noText();
    const words = wantsWords(request) ? wordsIn(body.chunks, chunkTold) : null;
    if (words instanceof Failure) return words;
    const segments = words === null ? segmentsIn(body.chunks, chunkTold) : null;
    if (segments instanceof Failure) return segments;
    const [language] = [...listOf(body.languages), ...listOf(body.inferred_languages)].filter(
      (code) => nonEmptyText(code) !== null,
    );
    return { ...EMPTY_TRANSCRIPT, text: text.trim(), words, segments, language: nonEmptyText(language) };
  },
  decodeFailure,
};

/** Wizper is faster but has only segments. */
const WIZPER: TranscriptionRules = {
  ...TEXT_ALONE,
  translates: true,
  hasSegments: true,
  carries: { language: 'exact' },
};
const WHISPER: TranscriptionRules = {
  ...WIZPER,
  hasWords: true,
  diarizes: true,
  carries: { language: 'exact', prompt: 'exact' },
};

type Members = Readonly<Record<string, unknown>>;

/** Reads a chunk; the last one may have no end. */
function chunkTold({ timestamp, text, speaker }: Members) {
  const [start, end] = listOf(timestamp);
  return { start, end: end ?? start, text, speaker };
}
