import { idsInJson } from './named-ids.ts';
import { publicModelIn } from './named-model.ts';
import type { Passage } from './passing-answer.ts';

/** A line that is longer goes down as it is. */
const LONGEST_LINE = 1024 * 1024;
/** Ids come with the objects themselves, at the beginning and the end of a stream. */
const MOST_IDS = 200;
const LINE_FEED = 0x0a;

export interface EventNames {
  readonly upstreamModel: string;
  readonly model: string;
}

/** Server-sent events on their way: the public model id in the place of the upstream's, and the ids of the objects that they tell of. */
export class EventPassage implements Passage {
  readonly ids = new Set<string>();
  private held = Buffer.alloc(0);
  private isInLongLine = false;

  constructor(private readonly names: EventNames | null) {}

  push(piece: Uint8Array): Uint8Array {
    const lastEnd = piece.lastIndexOf(LINE_FEED) + 1;
    if (lastEnd === 0) return this.hold(piece);
    const whole = Buffer.concat([this.held, piece.subarray(0, lastEnd)]);
    this.held = Buffer.from(piece.subarray(lastEnd));
    return this.lines(whole);
  }

  end(): Uint8Array {
    const rest = this.held;
    this.held = Buffer.alloc(0);
    return this.lines(rest);
  }

  private hold(piece: Uint8Array): Uint8Array {
    this.held = Buffer.concat([this.held, piece]);
    if (this.held.length <= LONGEST_LINE) return new Uint8Array(0);
    const out = this.held;
    this.held = Buffer.alloc(0);
    this.isInLongLine = true;
    return out;
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
