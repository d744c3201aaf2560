import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** xAI's `POST /v1/stt` (docs.x.ai, "Speech to Text"). It has one model, which a request does not name. */
export const xaiTranscriptions: TranscriptionWire = {
  name: 'xai-transcriptions',
  operations: ['audio.transcriptions'],
  harmlessOptions: ['format'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
