import type { Masks } from '../../domain/guards/masks.ts';
import { type EventFrames, JsonListFrames, ServerSentFrames } from '../guards/event-frames.ts';
import { RestoredEvents } from '../guards/restored-events.ts';
import type { OutboundStream } from './client-stream.ts';

const utf8 = new TextEncoder();

/** A stream in whose events the client finds the values that guards have masked. */
export class RestoredStream implements OutboundStream {
  private readonly events: RestoredEvents;
  private isOver = false;

  private constructor(
    private readonly stream: OutboundStream,
    private readonly frames: EventFrames,
    masks: Masks,
  ) {
    this.events = new RestoredEvents(masks);
  }

  /** Returns the stream for a type of content; `null` for one without text, such as audio. */
  static of(stream: OutboundStream, contentType: string, masks: Masks): RestoredStream | null {
    if (contentType.startsWith('text/event-stream')) return new RestoredStream(stream, new ServerSentFrames(), masks);
    return /\bjson\b/.test(contentType) ? new RestoredStream(stream, new JsonListFrames(), masks) : null;
  }

  async next(): Promise<Uint8Array | null> {
    while (!this.isOver) {
      const piece = await this.stream.next();
      const text = piece === null ? this.ended() : this.taken(piece);
      if (text !== '') return utf8.encode(text);
    }
    return null;
  }

  clientLeft(): void {
    this.isOver = true;
    this.stream.clientLeft();
  }

  get isCut(): boolean {
    return this.stream.isCut;
  }

  get onPing(): ((bytes: Uint8Array) => void) | null {
    return this.stream.onPing;
  }

  set onPing(send: ((bytes: Uint8Array) => void) | null) {
    this.stream.onPing = send;
  }

  private taken(piece: Uint8Array): string {
    let text = '';
    for (const event of this.frames.push(piece)) {
      text += this.frames.written(event.json === '' ? [event] : this.events.event(event));
    }
    return text;
  }

  private ended(): string {
    this.isOver = true;
    return this.frames.ending(this.events.end()) + this.frames.rest();
  }
}
