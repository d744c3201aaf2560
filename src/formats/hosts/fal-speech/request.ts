import { languageName, primaryLanguage } from '../../../domain/audio/language-name.ts';
import { SPEECH_SAMPLE_RATE, type SpeechFormat, type SpeechRequest } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { jsonRequest, type Members } from '../../shared/media/image-request.ts';
import { OPENAI_VOICES, planSpeech, unknownMembers } from '../../speech/shared/speech-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { falPath } from '../shared/fal-queue.ts';
import { type FalSpeechModel, falSpeechModel } from './models.ts';

/** The values of `language_boost` that all of MiniMax's models have. */
const LANGUAGES: ReadonlySet<string> = new Set([
  ...['Afrikaans', 'Arabic', 'Bulgarian', 'Catalan', 'Chinese', 'Croatian', 'Czech', 'Danish', 'Dutch', 'English'],
  ...['Finnish', 'French', 'German', 'Greek', 'Hebrew', 'Hindi', 'Hungarian', 'Indonesian', 'Italian', 'Japanese'],
  ...['Korean', 'Malay', 'Norwegian', 'Polish', 'Portuguese', 'Romanian', 'Russian', 'Slovak', 'Slovenian'],
  ...['Spanish', 'Swedish', 'Thai', 'Turkish', 'Ukrainian', 'Vietnamese'],
]);

export function encodeRequest(request: SpeechRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
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
    ...(model.hasAudioSetting === true ? { output_format: 'url', audio_setting: audioSetting(plan.format.asked) } : {}),
  };
  return jsonRequest(members, request, losses, { suffix: falPath(upstreamModel) });
}

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
