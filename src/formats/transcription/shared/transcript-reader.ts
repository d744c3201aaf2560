import type { TranscriptEvent } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { eventNotJson, eventTooLarge, garbage, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { EventReader, EventTooLarge, type ServerSentEvent } from '../../shared/stream/sse.ts';
import type { TranscriptReader } from '../wire.ts';

type Members = Readonly<Record<string, unknown>>;

/** More text than a month of speech has. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Interprets one provider's events. */
export interface TranscriptDialect {
  /** Returns `null` for an event that has nothing for the client. */
  eventOf(event: Members): TranscriptEvent | null | Failure;
  /** Called at `[DONE]`, for a provider whose streams have no other end mark. */
  atDone?(): TranscriptEvent | null;
}

/** Reads server-sent JSON events until one of them ends the transcript. */
export class TranscriptEvents implements TranscriptReader {
  failure: Failure | null = null;
  private readonly events = new EventReader();
  private isDone = false;
  private characters = 0;

  constructor(private readonly dialect: TranscriptDialect) {}

  push(piece: Uint8Array): readonly TranscriptEvent[] {
    const found: TranscriptEvent[] = [];
    try {
      this.events.push(piece, (event) => this.take(event, found));
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.failure ??= eventTooLarge();
    }
    return found;
  }

  end(): readonly TranscriptEvent[] {
    const found: TranscriptEvent[] = [];
    this.events.end((event) => this.take(event, found));
    if (!this.isDone) this.failure ??= truncatedStream();
    return found;
  }

  private take(event: ServerSentEvent, found: TranscriptEvent[]): void {
    if (this.isDone || this.failure !== null) return;
    const read = this.read(event);
    if (read instanceof Failure) this.failure = read;
    else if (read !== null) found.push(read);
  }

  private read({ event, data }: ServerSentEvent): TranscriptEvent | null | Failure {
    if (data.trim() === '[DONE]') return this.checked(this.dialect.atDone?.() ?? null);
    const members = parseObject(data);
    if (members === null) return eventNotJson();
    const isError = event === 'error' || members.type === 'error';
    const error = failureInAnswer(isError ? (members.error ?? members) : members.error);
    if (error !== null) return error;
    return isError
      ? garbage('The upstream ended the stream with an error.')
      : this.checked(this.dialect.eventOf(members));
  }

  private checked(event: TranscriptEvent | null | Failure): TranscriptEvent | null | Failure {
    if (event === null || event instanceof Failure) return event;
    if (event.type === 'done') this.isDone = true;
    if (event.type === 'delta') this.characters += event.text.length;
    return this.characters > MOST_CHARACTERS
      ? garbage("The upstream's transcript is longer than any recording.")
      : event;
  }
}
