import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import type { SpeechFormat } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import { openSpeech } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechWire } from '../wire.ts';

/** The id of George, the voice in the documentation's examples. */
const GEORGE = 'JBFqnCBsd6RMkjVDRZzb';

/** The voices that every account has, by id. */
const TRAITS: SpeechTraits = {
  formats: ['mp3', 'opus', 'pcm'],
  voices: {
    alloy: 'SAz9YHcvj6GT2YYXdXww', // River
    ash: 'iP95p4xoKVk53GoZ742B', // Chris
    ballad: 'N2lVS1w4EtoT3dr4eOWO', // Callum
    cedar: 'cjVigY5qzO86Huf0OWal', // Eric
    coral: 'FGY2WhTYpPnrIDTdsKH5', // Laura
    echo: 'TX3LPaxmHKxFdv7VOQHJ', // Liam
    fable: GEORGE,
    marin: 'EXAVITQu4vr4xnSDxMaL', // Sarah
    nova: 'cgSgspJ2msm6clMCkdW9', // Jessica
    onyx: 'nPczCjzI2devNBz1zQrb', // Brian
    sage: 'XrExE9yKIg1WjnnlVkGX', // Matilda
    shimmer: 'pFZP5JQG7iQjIQuC4Bku', // Lily
    verse: 'bIHbv24MWmeRgasZH58o', // Will
  },
  defaultVoice: GEORGE,
  speed: [0.7, 1.2],
  language: true,
};

const OUTPUT_FORMATS: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_128',
  pcm: 'pcm_24000',
};

/** From the published document: not supported for multilingual_v2 models. */
const WITHOUT_LANGUAGE = /multilingual_v2/;
const VOICE_ID = /^[\w-]{1,128}$/;

/**
 * ElevenLabs' speech (its published document, `text_to_speech_stream`): the voice is in the path, the format in the query. The
 * header `character-cost` counts a plan's credits, which are not characters, so it is not read.
 */
export const elevenlabsSpeech: SpeechWire = {
  name: 'elevenlabs-speech',
  operations: ['audio.speech'],
  harmlessOptions: ['voice_settings', 'seed', 'apply_text_normalization', 'apply_language_text_normalization'],
  encodeRequest(request, { upstreamModel }) {
    const plan = planSpeech(request, TRAITS);
    if (plan instanceof Failure) return plan;
    const voice = plan.voice ?? GEORGE;
    if (!VOICE_ID.test(voice)) return noVoiceId();
    const losses: Loss[] = [...plan.losses, ...unknownMembers(request.body)];
    const hasLanguage = plan.language !== null && !WITHOUT_LANGUAGE.test(upstreamModel);
    if (plan.language !== null && !hasLanguage) {
      losses.push({ field: 'language', verdict: 'dropped', why: 'this model detects the language itself' });
    }
    const members = {
      text: request.input,
      model_id: upstreamModel,
      language_code: hasLanguage && plan.language !== null ? primaryLanguage(plan.language) : null,
      voice_settings: plan.speed === null ? null : { speed: plan.speed },
    };
    const suffix = `/${voice}/stream?output_format=${OUTPUT_FORMATS[plan.format.asked] ?? 'mp3_44100_128'}`;
    return jsonRequest(members, request, losses, { suffix, headers: { accept: '*/*' } });
  },
  openAnswer: (headers, request) => openSpeech(headers, request, TRAITS, { json: null }),
  decodeFailure,
};

function noVoiceId(): Failure {
  return new Failure('invalid_value', {
    message: '`voice` must be the id of one of the account’s ElevenLabs voices, or one of OpenAI’s names.',
    param: 'voice',
    retry: 'other-target',
  });
}
