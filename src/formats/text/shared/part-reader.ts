import { isCutOff } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { eventTooLarge } from '../../shared/failure/answer-failure.ts';
import { EventReader, EventTooLarge, type ServerSentEvent } from '../../shared/stream/sse.ts';

/** What a format makes of an upstream's events. */
interface EventHandler {
  /** Never called once the answer is over. */
  onEvent(event: ServerSentEvent): void;
  /** The upstream ended and the answer is not over yet: whether it is complete is the format's to say. */
  onEnd(): void;
}

/**
 * What the decoders of all formats have in common: bytes come in at any split, events go to the format's handler, and the
 * parts that it emits come out. Nothing follows the part that ends the answer, whether that is `end` or an `error`. A call whose arguments
 * were left out gets an empty object, because clients parse the arguments of every call. A call that the answer's end has cut off gets
 * none: a client would run it.
 */
export class PartReader {
  isOver = false;
  /** The upstream is done: the event that is read now lacked its blank line, and may be broken off. */
  isEnding = false;

  private readonly events = new EventReader();
  private parts: StreamPart[] = [];
  /** The candidates whose open function call has no arguments yet. */
  private readonly withoutArguments = new Set<number>();
  /** The candidates whose last call has ended without arguments, until what follows tells whether it was cut off. */
  private readonly heldEnds = new Set<number>();

  constructor(private readonly handler: EventHandler) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    if (this.isOver) return NONE;
    try {
      this.events.push(piece, this.onEvent);
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.fail(eventTooLarge());
    }
    return this.take();
  }

  end(): readonly StreamPart[] {
    if (this.isOver) return NONE;
    this.isEnding = true;
    this.events.end(this.onEvent);
    if (!this.isOver) this.handler.onEnd();
    return this.take();
  }

  readonly emit = (part: StreamPart): void => {
    if (part.type === 'tool-call-start' && part.custom !== true) this.withoutArguments.add(part.candidate);
    else if (part.type === 'tool-call-delta' && part.arguments.trim() !== '')
      this.withoutArguments.delete(part.candidate);
    else if (part.type === 'tool-call-end' && this.withoutArguments.delete(part.candidate)) {
      this.heldEnds.add(part.candidate);
      return;
    }
    if ('candidate' in part && this.heldEnds.has(part.candidate)) {
      this.endCall(part.candidate, part.type !== 'finish' || !isCutOff(part.finish));
    }
    this.parts.push(part);
  };

  private endCall(candidate: number, isWhole: boolean): void {
    this.heldEnds.delete(candidate);
    if (isWhole) this.parts.push({ type: 'tool-call-delta', candidate, arguments: '{}' });
    this.parts.push({ type: 'tool-call-end', candidate });
  }

  /** The answer is complete. */
  finish(): void {
    for (const candidate of this.heldEnds) this.endCall(candidate, true);
    this.isOver = true;
    this.parts.push({ type: 'end' });
  }

  /** The first failure is the one that counts. */
  fail(failure: Failure): void {
    if (this.isOver) return;
    for (const candidate of this.heldEnds) this.endCall(candidate, false);
    this.isOver = true;
    this.parts.push({ type: 'error', failure });
  }

  private readonly onEvent = (event: ServerSentEvent): void => {
    if (!this.isOver) this.handler.onEvent(event);
  };

  private take(): readonly StreamPart[] {
    const { parts } = this;
    if (parts.length === 0) return NONE;
    this.parts = [];
    return parts;
  }
}

const NONE: readonly StreamPart[] = [];
