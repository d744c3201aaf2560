import { openSpeech } from '../../speech/shared/speech-answer.ts';
import type { SpeechWire } from '../../speech/wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { falSpeechModel } from './models.ts';
import { encodeRequest } from './request.ts';
import { decodeFailure, fileOf } from './response.ts';

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
  encodeRequest,
  next: nextInFalQueue,
  fileOf,
  openAnswer: (headers, request, { upstreamModel }) =>
    openSpeech(headers, request, falSpeechModel(upstreamModel).traits, { json: null }),
  decodeFailure,
};
