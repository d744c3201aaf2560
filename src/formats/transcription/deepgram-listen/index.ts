import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Deepgram's `POST /v1/listen` (its published document): the recording is the body, and everything else is in the query. */
export const deepgramListen: TranscriptionWire = {
  name: 'deepgram-listen',
  operations: ['audio.transcriptions'],
  // Other options cost extra (speakers, redaction, keyterms, entities, summaries and the like, and each channel of a
  // recording, `multichannel`), or opt out of training (`mip_opt_out`).
  harmlessOptions: [
    ...['smart_format', 'punctuate', 'paragraphs', 'numerals', 'measurements', 'dictation', 'filler_words'],
    ...['profanity_filter', 'utt_split', 'replace', 'search', 'tag'],
  ],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
