import { idsInJson } from './named-ids.ts';
import { publicModelIn } from './named-model.ts';
import type { Passage } from './passing-answer.ts';

/** A longer line is relayed unchanged. */
const LONGEST_LINE = 1024 * 1024;
/** The most ids that are collected; whole objects with ids come at the beginning and the end of a stream. */
const MOST_IDS = 200;
const LINE_FEED = 0x0a;

export interface EventNames {
  readonly upstreamModel: string;
  readonly model: string;
}

/** Relays server-sent events with the public model id in place of the upstream's, and collects the ids of objects in them. */
export class EventPassage implements Passage {
  readonly ids = new Set<string>();
  /** The pieces of an incomplete line, joined only once, however small they are. */
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isInLongLine = false;

  constructor(private readonly names: EventNames | null) {}

  push(piece: Uint8Array): Uint8Array {
    const lastEnd = piece.lastIndexOf(LINE_FEED) + 1;
    if (lastEnd === 0) return this.hold(piece);
    const whole = this.lines(this.heldAnd(piece.subarray(0, lastEnd)));
    const rest = this.hold(piece.subarray(lastEnd));
    return rest.length === 0 ? whole : Buffer.concat([whole, rest]);
  }

  end(): Uint8Array {
    return this.lines(this.heldAnd(new Uint8Array(0)));
  }

  private hold(piece: Uint8Array): Uint8Array {
    if (this.heldBytes + piece.length > LONGEST_LINE) {
      this.isInLongLine = true;
      return this.heldAnd(piece);
    }
    if (piece.length > 0) this.held.push(new Uint8Array(piece));
    this.heldBytes += piece.length;
    return new Uint8Array(0);
  }

  private heldAnd(piece: Uint8Array): Buffer {
    const whole = Buffer.concat([...this.held, piece]);
    this.held = [];
    this.heldBytes = 0;
    return whole;
  }

  private lines(bytes: Buffer): Uint8Array {
    if (this.isInLongLine) {
      this.isInLongLine = false;
      return bytes;
    }
    const text = bytes.toString('utf8');
    if (this.ids.size < MOST_IDS) for (const line of text.split('\n')) this.look(line);
    if (this.names === null) return bytes;
    const { upstreamModel, model } = this.names;
    return upstreamModel === model ? bytes : Buffer.from(publicModelIn(text, upstreamModel, model));
  }

  private look(line: string): void {
    if (!line.startsWith('data:') || !line.includes('"interaction"')) return;
    for (const id of idsInJson(line.slice(5))) if (this.ids.size < MOST_IDS) this.ids.add(id);
  }
}
