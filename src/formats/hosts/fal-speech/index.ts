import { languageName, primaryLanguage } from '../../../domain/audio/language-name.ts';
import { SPEECH_SAMPLE_RATE, type SpeechFormat, type SpeechRequest } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual, withParam } from '../../shared/failure/upstream-failure.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { jsonRequest, type Members } from '../../shared/media/image-request.ts';
import { openSpeech } from '../../speech/shared/speech-answer.ts';
import { OPENAI_VOICES, planSpeech, unknownMembers } from '../../speech/shared/speech-request.ts';
import type { SpeechWire } from '../../speech/wire.ts';
import { falPath, nextInFalQueue } from '../shared/fal-queue.ts';
import { type FalSpeechModel, falSpeechModel } from './models.ts';

/** Speech models of many vendors at fal, over fal's queue. Each is an endpoint with its own request body. */
export const falSpeech: SpeechWire = {
  name: 'fal-speech',
  operations: ['audio.speech'],
  // All models are priced per character or second, independent of the voice settings.
  harmlessOptions: [
    ...['voice_setting', 'audio_setting', 'pronunciation_dict', 'normalization_setting'],
    ...['stability', 'similarity_boost', 'style', 'apply_text_normalization'],
    ...['temperature', 'repetition_penalty', 'exaggeration', 'cfg', 'seed'],
  ],
  encodeRequest(request, { upstreamModel }) {
    const model = falSpeechModel(upstreamModel);
    const losses: Loss[] = [];
    const plan = planSpeech(withKnownVoice(request, model, losses), model.traits);
    if (plan instanceof Failure) return plan;
    losses.push(...plan.losses, ...unknownMembers(request.body));
    const { voiceIn } = model;
    const members = {
      [model.text]: request.input,
      ...(voiceIn === undefined
        ? { voice: plan.voice, speed: plan.speed }
        : { [voiceIn.object]: { [voiceIn.voice]: plan.voice, speed: plan.speed } }),
      ...languageMember(plan.language, model, losses),
      ...(model.hasAudioSetting === true
        ? { output_format: 'url', audio_setting: audioSetting(plan.format.asked) }
        : {}),
    };
    return jsonRequest(members, request, losses, { suffix: falPath(upstreamModel) });
  },
  next: nextInFalQueue,
  /** Returns the file that a job results in: `{audio: {url, content_type}}`, or with some models `{audio_url: {url}}`. */
  fileOf({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const file = body.audio ?? body.audio_url;
    const url = nonEmptyText(isRecord(file) ? file.url : file);
    if (url === null) return garbage('The upstream returned no URL for the audio.');
    return { url, mediaType: isRecord(file) ? nonEmptyText(file.content_type) : null };
  },
  openAnswer: (headers, request, { upstreamModel }) =>
    openSpeech(headers, request, falSpeechModel(upstreamModel).traits, { json: null }),
  /** Decodes fal's errors, each of which names a member: `detail: [{loc: ["body", "prompt"], msg, type}]`. */
  decodeFailure(status, headers, bytes) {
    const failure = decodeUsual(status, headers, bytes);
    const name = failure.details.param?.split('.').at(-1) ?? '';
    return withParam(failure, entryOf(FIELDS, name));
  },
};

/** The values of `language_boost` that all of MiniMax's models have. */
const LANGUAGES: ReadonlySet<string> = new Set([
  ...['Afrikaans', 'Arabic', 'Bulgarian', 'Catalan', 'Chinese', 'Croatian', 'Czech', 'Danish', 'Dutch', 'English'],
  ...['Finnish', 'French', 'German', 'Greek', 'Hebrew', 'Hindi', 'Hungarian', 'Indonesian', 'Italian', 'Japanese'],
  ...['Korean', 'Malay', 'Norwegian', 'Polish', 'Portuguese', 'Romanian', 'Russian', 'Slovak', 'Slovenian'],
  ...['Spanish', 'Swedish', 'Thai', 'Turkish', 'Ukrainian', 'Vietnamese'],
]);

function withKnownVoice(request: SpeechRequest, model: FalSpeechModel, losses: Loss[]): SpeechRequest {
  const isForeign = !request.isCustomVoice && OPENAI_VOICES.some((name) => name === request.voice);
  if (model.hasUnknownVoices !== true || !isForeign) return request;
  losses.push({ field: 'voice', verdict: 'dropped', why: 'the voices of this model are unknown' });
  return { ...request, voice: null };
}

function languageMember(code: string | null, { language }: FalSpeechModel, losses: Loss[]): Members {
  if (code === null || language === undefined) return {};
  if (language.as === 'code') return { [language.member]: primaryLanguage(code) };
  const name = languageName(primaryLanguage(code));
  const own = name.charAt(0).toUpperCase() + name.slice(1);
  if (LANGUAGES.has(own)) return { [language.member]: own };
  losses.push({ field: 'language', verdict: 'dropped', why: 'the model does not accept this language' });
  return {};
}

function audioSetting(format: SpeechFormat): Members {
  return format === 'pcm' ? { format, sample_rate: SPEECH_SAMPLE_RATE, channel: 1 } : { format };
}

/** The client's names for the members in fal's errors. */
const FIELDS: Readonly<Record<string, string>> = {
  text: 'input',
  prompt: 'input',
  input: 'input',
  voice: 'voice',
  voice_id: 'voice',
  speed: 'speed',
  language_code: 'language',
  language_boost: 'language',
};
