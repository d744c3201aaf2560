import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsWords } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { jsonWithFile } from '../../transcription/shared/json-with-file.ts';
import {
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
  withOptions,
} from '../../transcription/shared/transcription-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { falPath } from '../shared/fal-queue.ts';

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

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
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
}
