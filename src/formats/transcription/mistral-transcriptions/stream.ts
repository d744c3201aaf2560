import type { TranscriptEvent, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { noText, segmentsIn } from '../shared/transcript-answer.ts';
import type { TranscriptDialect } from '../shared/transcript-reader.ts';
import { segmentTold, transcriptOf } from './response.ts';

type Members = Readonly<Record<string, unknown>>;

/** Mistral's transcript stream (its published document, `TranscriptionStreamEvents`). */
export class MistralDialect implements TranscriptDialect {
  private language: string | null = null;

  constructor(private readonly request: Pick<TranscriptionRequest, 'format' | 'granularities'>) {}

  eventOf(event: Members): TranscriptEvent | null | Failure {
    switch (event.type) {
      case 'transcription.text.delta': {
        const text = textOrNull(event.text);
        if (text === null) return noText();
        return text === '' ? null : { type: 'delta', text, own: null };
      }
      case 'transcription.language':
        this.language = nonEmptyText(event.audio_language);
        return null;
      case 'transcription.segment':
        return this.request.format === 'diarized_json' ? segmentOf(event) : null;
      case 'transcription.done': {
        const transcript = transcriptOf(event, this.request);
        if (transcript instanceof Failure) return transcript;
        return { type: 'done', transcript: { ...transcript, language: transcript.language ?? this.language } };
      }
      default:
        return null;
    }
  }
}

function segmentOf(event: Members): TranscriptEvent | Failure {
  const segments = segmentsIn([event], segmentTold);
  const [segment] = segments instanceof Failure ? [] : (segments ?? []);
  return segment === undefined ? noText() : { type: 'segment', segment, own: null };
}
