import { segmentsOf } from '../../../domain/audio/segments.ts';
import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TranscriptEvent,
  type TranscriptionRequest,
} from '../../../domain/audio/transcription.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOrEmpty, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import {
  noText,
  openaiTranscript,
  secondsOrNull,
  segmentsIn,
  segmentTold,
  tokensIn,
} from '../shared/transcript-answer.ts';
import type { TranscriptDialect } from '../shared/transcript-reader.ts';
import { diarizedSegment, usageOf, withRouting } from './response.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * OpenAI's transcript stream (`CreateTranscriptionResponseStreamEvent`), and vLLM's, which has chunks like those of chat
 * completions and ends with `[DONE]`.
 */
export class OpenAIDialect implements TranscriptDialect {
  /** The text of vLLM's chunks so far. */
  private text = '';
  private usage: unknown = null;
  private hasChunks = false;

  eventOf(own: Members): TranscriptEvent | null | Failure {
    switch (own.type) {
      case 'transcript.text.delta': {
        const text = textOrNull(own.delta);
        return text === null ? noText() : { type: 'delta', text, own };
      }
      case 'transcript.text.segment': {
        const segments = segmentsIn([own], segmentTold);
        const [segment] = segments instanceof Failure ? [] : (segments ?? []);
        return segment === undefined ? noText() : { type: 'segment', segment, own };
      }
      case 'transcript.text.done': {
        const transcript = openaiTranscript(own, true);
        return transcript instanceof Failure ? transcript : { type: 'done', transcript };
      }
      default:
        return Array.isArray(own.choices) ? this.chunkOf(own, own.choices) : { type: 'other', own };
    }
  }

  private chunkOf({ usage }: Members, choices: readonly unknown[]): TranscriptEvent | null {
    this.hasChunks = true;
    if (isRecord(usage)) this.usage = usage;
    const [choice] = choices;
    const text = isRecord(choice) && isRecord(choice.delta) ? textOrEmpty(choice.delta.content) : '';
    if (text === '') return null;
    this.text += text;
    return { type: 'delta', text, own: null };
  }

  atDone(): TranscriptEvent | null {
    if (!this.hasChunks) return null;
    const { text, usage } = this;
    const billedSeconds = isRecord(usage) ? secondsOrNull(usage.seconds) : null;
    return { type: 'done', transcript: { ...EMPTY_TRANSCRIPT, text, tokens: tokensIn(usage), billedSeconds } };
  }
}

/* Writes OpenAI's server-sent events of a transcript (`CreateTranscriptionResponseStreamEvent`). */

/** Writes the events of one stream in order. */
export class EventWriter {
  private segments = 0;

  constructor(private readonly routing: Pick<RoutingFacts, 'json'>) {}

  write(event: TranscriptEvent): string {
    switch (event.type) {
      case 'delta':
        return frame(JSON.stringify(event.own ?? { type: 'transcript.text.delta', delta: event.text }));
      case 'segment':
        return frame(JSON.stringify(event.own ?? diarizedSegment(event.segment, this.segments++)));
      case 'other':
        return frame(JSON.stringify(event.own));
      case 'done':
        return frame(withRouting(doneMembers(event.transcript), this.routing));
    }
  }
}

function doneMembers(transcript: Transcript): Readonly<Record<string, unknown>> {
  const { own } = transcript;
  // A whole JSON answer has the same members, except for the type.
  if (own !== null) return { ...own, type: 'transcript.text.done' };
  return { type: 'transcript.text.done', text: transcript.text, ...usageOf(transcript) };
}

/** Returns the events for a transcript that arrived whole: one delta, or a segment for each speaker's turn. */
export function eventsOfWhole(
  transcript: Transcript,
  { format, durationMs }: Pick<TranscriptionRequest, 'format' | 'durationMs'>,
): readonly TranscriptEvent[] {
  const { text } = transcript;
  const turns = format === 'diarized_json' ? segmentsOf(transcript, durationMs) : [];
  const own = null;
  return [
    ...(text === '' ? [] : [{ type: 'delta', text, own } as const]),
    ...turns.map((segment) => ({ type: 'segment', segment, own }) as const),
    { type: 'done', transcript },
  ];
}

function frame(json: string): string {
  return `data: ${json}\n\n`;
}
