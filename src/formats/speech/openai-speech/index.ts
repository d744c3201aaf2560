import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { OPENAI_SPEECH_JSON, openSpeech } from '../shared/speech-answer.ts';
import type { SpeechWire } from '../wire.ts';
import { dialectOf, encodeRequest } from './request.ts';

/** OpenAI's speech: the contract's POST /v1/audio/speech, and the format of most servers of such models. */
export const openaiSpeech: SpeechWire = {
  name: 'openai-speech',
  operations: ['audio.speech'],
  isClients: true,
  encodeRequest,
  openAnswer: (headers, request, target) =>
    openSpeech(headers, request, dialectOf(target), { json: OPENAI_SPEECH_JSON }),
  decodeFailure,
};
