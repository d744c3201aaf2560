import type { Capture } from '../ports/capture-store.ts';
import { BodyRecorder, type CaptureRoom } from './body-recorder.ts';

const TEXT = /^(?:text\/|application\/(?:[\w.+-]+\+)?json\b|application\/(?:x-)?(?:ndjson|jsonl|yaml)\b)/i;

export interface CapturedCall {
  readonly requestId: string;
  readonly accountId: string;
  readonly atMs: number;
}

export interface CapturePlace extends CaptureRoom {
  keep(capture: Capture, taken: number): void;
  drop(taken: number): void;
}

/** The capture of one call, collected while it runs and stored once its answer has ended. */
export class CallCapture {
  private readonly request: BodyRecorder;
  private readonly answer: BodyRecorder;
  private isOver = false;

  constructor(
    private readonly call: CapturedCall,
    private readonly place: CapturePlace,
  ) {
    this.request = new BodyRecorder(place);
    this.answer = new BodyRecorder(place);
  }

  /** Captures the body of the request, as it arrived. */
  asked(body: Uint8Array): void {
    this.request.is('application/json', null);
    this.request.add(body);
  }

  /** Notes that the request was a form. */
  askedByForm(): void {
    this.request.is('multipart/form-data', 'form');
  }

  /** Begins the capture of the answer. */
  answers(contentType: string | null): void {
    this.answer.is(contentType, contentType !== null && TEXT.test(contentType) ? null : 'binary');
  }

  said(piece: Uint8Array): void {
    this.answer.add(piece);
  }

  /** Gives the capture up: another call will answer the request. */
  drop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.place.drop(this.request.taken + this.answer.taken);
  }

  /** Ends the capture. Only the first call has an effect. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { request, answer, place } = this;
    const taken = request.taken + answer.taken;
    if (request.isStarved || answer.isStarved) place.drop(taken);
    else place.keep({ ...this.call, request: request.end(), answer: answer.end() }, taken);
  }
}
