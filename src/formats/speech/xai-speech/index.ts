import { SPEECH_SAMPLE_RATE, type SpeechFormat } from '../../../domain/audio/speech.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import { openSpeech } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechWire } from '../wire.ts';

/**
 * The codes listed at docs.x.ai ("Text to Speech", "Supported Languages"); the first one with a region stands for its language.
 */
const LANGUAGES = [
  ...['en', 'ar-EG', 'ar-SA', 'ar-AE', 'bn', 'zh', 'fr', 'de', 'hi', 'id', 'it', 'ja', 'ko', 'pt-BR', 'pt-PT', 'ru'],
  ...['es-ES', 'es-MX', 'tr', 'vi'],
];

const TRAITS: SpeechTraits = {
  formats: ['mp3', 'wav', 'pcm'],
  voices: {
    ...{ alloy: 'sal', coral: 'ara', marin: 'ara', nova: 'eve', sage: 'ara', shimmer: 'eve' },
    ...{ ash: 'rex', ballad: 'sal', cedar: 'leo', echo: 'rex', fable: 'leo', onyx: 'leo', verse: 'rex' },
  },
  defaultVoice: 'eve',
  speed: [0.7, 1.5],
  language: LANGUAGES,
};

const OUTPUT = (codec: SpeechFormat) => ({ codec, sample_rate: SPEECH_SAMPLE_RATE });

/** xAI's speech (docs.x.ai, "Text to Speech"): `POST /v1/tts`, which has no choice of models and answers with audio. */
export const xaiSpeech: SpeechWire = {
  name: 'xai-speech',
  operations: ['audio.speech'],
  harmlessOptions: ['text_normalization', 'optimize_streaming_latency'],
  encodeRequest(request) {
    const plan = planSpeech(request, TRAITS);
    if (plan instanceof Failure) return plan;
    const { asked } = plan.format;
    const members = {
      text: request.input,
      voice_id: plan.voice,
      language: plan.language ?? 'auto',
      output_format: asked === 'mp3' ? { ...OUTPUT(asked), bit_rate: 128_000 } : OUTPUT(asked),
      speed: plan.speed,
    };
    return jsonRequest(members, request, [...plan.losses, ...unknownMembers(request.body)], {
      headers: { accept: '*/*' },
    });
  },
  openAnswer: (headers, request) => openSpeech(headers, request, TRAITS, { json: null }),
  decodeFailure,
};
