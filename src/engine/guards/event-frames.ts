import { EventSplitter } from '../../formats/shared/stream/sse.ts';
import type { FramedEvent } from './restored-events.ts';

/** Splits the bytes of a stream into events, and writes them again. */
export interface EventFrames {
  /** Returns what the piece completes. Text without JSON has an empty `json`. */
  push(piece: Uint8Array): readonly FramedEvent[];
  /** Returns the bytes after the last event. */
  rest(): string;
  /** Writes events in place of the one that the frames have returned last. */
  written(events: readonly FramedEvent[]): string;
  /** Writes events after the last one. */
  ending(events: readonly FramedEvent[]): string;
}

const utf8 = new TextDecoder();

/** Server-sent events. */
export class ServerSentFrames implements EventFrames {
  private readonly splitter = new EventSplitter();

  push(piece: Uint8Array): readonly FramedEvent[] {
    const events: FramedEvent[] = [];
    this.splitter.push(piece, (bytes) => events.push(framed(utf8.decode(bytes))));
    return events;
  }

  rest(): string {
    return utf8.decode(this.splitter.rest());
  }

  written(events: readonly FramedEvent[]): string {
    return events.map(({ before, json, after }) => before + json + after).join('');
  }

  ending(events: readonly FramedEvent[]): string {
    return this.written(events);
  }
}

/** Finds the data of an event; that of several lines is joined. */
function framed(text: string): FramedEvent {
  const data = /^data:[ ]?/m.exec(text);
  if (data === null) return { before: text, json: '', after: '' };
  const start = data.index + data[0].length;
  const more = /\r\n|\r|\n/.exec(text.slice(start));
  const end = more === null ? text.length : start + more.index;
  const others = text.slice(end).matchAll(/(?:\r\n|\r|\n)data:[ ]?([^\r\n]*)/g);
  const lines = [text.slice(start, end), ...[...others].map(([, line = '']) => line)];
  const after = lines.length === 1 ? text.slice(end) : text.slice(end).replace(/(\r\n|\r|\n)data:[^\r\n]*/g, '');
  return { before: text.slice(0, start), json: lines.join(' '), after };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The elements of a JSON list, as Gemini streams without `alt=sse`. */
export class JsonListFrames implements EventFrames {
  private readonly decoder = new TextDecoder();
  private pending = '';
  private scanned = 0;
  private depth = 0;
  private start = -1;
  private isString = false;

  push(piece: Uint8Array): readonly FramedEvent[] {
    this.pending += this.decoder.decode(piece, { stream: true });
    const events: FramedEvent[] = [];
    for (; this.scanned < this.pending.length; this.scanned++) {
      const unit = this.pending.charCodeAt(this.scanned);
      if (this.isString) {
        if (unit === BACKSLASH) this.scanned++;
        else if (unit === QUOTE) this.isString = false;
      } else if (unit === QUOTE) this.isString = true;
      else if (unit === 0x7b && this.depth++ === 0) this.start = this.scanned;
      else if (unit === 0x7d && --this.depth === 0) events.push(this.element());
    }
    return events;
  }

  rest(): string {
    return this.pending + this.decoder.decode();
  }

  written(events: readonly FramedEvent[]): string {
    return events
      .map(({ json }, place) => (place === 0 ? `${events.at(-1)?.before ?? ''}${json}` : `,${json}`))
      .join('');
  }

  ending(events: readonly FramedEvent[]): string {
    return events.map(({ json }) => `,${json}`).join('');
  }

  private element(): FramedEvent {
    const { pending, start, scanned } = this;
    this.pending = pending.slice(scanned + 1);
    this.scanned = -1;
    return { before: pending.slice(0, start), json: pending.slice(start, scanned + 1), after: '' };
  }
}
