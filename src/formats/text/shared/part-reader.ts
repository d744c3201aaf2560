import { isCutOff } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { eventTooLarge } from '../../shared/failure/answer-failure.ts';
import { EventReader, EventTooLarge, type ServerSentEvent } from '../../shared/stream/sse.ts';

/** A format's handler for an upstream's events. */
interface EventHandler {
  /** Never called after the answer has ended. */
  onEvent(event: ServerSentEvent): void;
  /** Called if the upstream ends before the answer does: the format decides whether the answer is complete. */
  onEnd(): void;
}

/**
 * The common part of all formats' decoders: bytes come in, split anywhere; events go to the format's handler; and the parts that
 * it emits come out. Nothing follows the part that ends the answer, `end` or `error`. A call whose arguments were left out gets
 * an empty object, because clients parse every call's arguments. A call that the answer's end has cut off gets none, because a
 * client would run it.
 */
export class PartReader {
  isOver = false;
  /** Whether the upstream has ended: the event that is being read lacked its blank line, and may be incomplete. */
  isEnding = false;

  private readonly events = new EventReader();
  private parts: StreamPart[] = [];
  /** The candidates whose open function call has no arguments yet. */
  private readonly withoutArguments = new Set<number>();
  /** The candidates whose last call ended without arguments; held until the next part shows whether it was cut off. */
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

  /** Ends a complete answer. */
  finish(): void {
    for (const candidate of this.heldEnds) this.endCall(candidate, true);
    this.isOver = true;
    this.parts.push({ type: 'end' });
  }

  /** Records a failure; only the first one counts. */
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
