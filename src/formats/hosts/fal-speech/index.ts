import { openSpeech } from '../../speech/shared/speech-answer.ts';
import type { SpeechWire } from '../../wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { falSpeechModel } from './models.ts';
import { encodeRequest } from './request.ts';
import { decodeFailure, fileOf } from './response.ts';

/** Speech of many makers at fal, each an endpoint with a body of its own, over fal's queue. */
export const falSpeech: SpeechWire = {
  name: 'fal-speech',
  operations: ['audio.speech'],
  // All of them are priced by the character or the second, whatever the voice sounds like.
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
