import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** ElevenLabs' `POST /v1/speech-to-text` (its published document). */
export const elevenlabsTranscriptions: TranscriptionWire = {
  name: 'elevenlabs-transcriptions',
  operations: ['audio.transcriptions'],
  // Entities and keyterms cost extra; a speaker library and webhooks belong to the channel's owner.
  harmlessOptions: ['tag_audio_events', 'num_speakers', 'diarization_threshold', 'seed', 'no_verbatim'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
