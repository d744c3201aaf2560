import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import { OPENAI_SPEECH_JSON, openSpeech } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechWire } from '../wire.ts';

const WOMAN = 'gb_jane_neutral';
const MAN = 'en_paul_neutral';

/** Samples without a header are floats, so wav is requested instead of pcm. */
const TRAITS: SpeechTraits = {
  formats: ['mp3', 'opus', 'flac', 'wav'],
  defaultVoice: MAN,
  voices: {
    ...{ alloy: WOMAN, coral: WOMAN, marin: WOMAN, nova: WOMAN, sage: WOMAN, shimmer: WOMAN },
    ...{ ash: MAN, ballad: MAN, cedar: MAN, echo: MAN, fable: MAN, onyx: MAN, verse: MAN },
  },
};

/**
 * Mistral's speech (its published document, `SpeechRequest`): audio in base64, in one object or in events. Events are requested
 * only for mp3, whose pieces can always be concatenated.
 */
export const mistralSpeech: SpeechWire = {
  name: 'mistral-speech',
  operations: ['audio.speech'],
  encodeRequest(request, { upstreamModel }) {
    const plan = planSpeech(request, TRAITS);
    if (plan instanceof Failure) return plan;
    const { asked } = plan.format;
    const isCloned = Object.hasOwn(request.options, 'ref_audio') && request.voice === null;
    const members = {
      model: upstreamModel,
      input: request.input,
      voice_id: isCloned ? null : plan.voice,
      response_format: asked,
      stream: asked === 'mp3',
    };
    return jsonRequest(members, request, [...plan.losses, ...unknownMembers(request.body)]);
  },
  openAnswer: (headers, request) => openSpeech(headers, request, TRAITS, { json: OPENAI_SPEECH_JSON }),
  decodeFailure,
};
