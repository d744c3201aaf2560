import { applyEdits, type Edit } from '../../shared/json/json-patch.ts';
import { equalAt, type MemberSpan } from '../../shared/json/json-scan.ts';
import { editsWithin } from '../../shared/stream/relay-pieces.ts';
import type { ProducedText } from './produced-text.ts';

const { copy: copyBytes } = Buffer.prototype;
const QUOTE = 0x22;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
/** So many templates are made in vain before the events of a stream are no longer expected to be alike. */
const IN_VAIN = 16;
/** Beside its text: a stream keeps two copies of that until it ends, and nothing real is as large. */
const MOST_BYTES = 4 * 1024;

/** What is known of a stream's events from the ones before. */
export class EventTemplates {
  /** How many more are made before one of them matches. */
  left = IN_VAIN;
  private latest: EventTemplate | null = null;

  /** @param produced is told what the model has written in the events that are taken here */
  constructor(private readonly produced: ProducedText) {}

  /** What is sent for the event, if it is like the one before: then it is no more than its text and what the template says. */
  take(event: Uint8Array): Uint8Array | null {
    const { latest } = this;
    if (latest?.matches(event) !== true) return null;
    this.left = IN_VAIN;
    this.produced.addContents(event, latest.textStart, latest.textEnd);
    return latest.edited(event);
  }

  /**
   * To be told of an event that has been looked at, and does nothing but to add to what was produced and to be sent.
   *
   * @param piecesBefore how many pieces of text there had been
   * @param filler a member whose value has no meaning
   * @param edits what is changed of it, none of it within its text or filler
   */
  learn(event: Uint8Array, piecesBefore: number, filler: MemberSpan | null, edits: readonly Edit[]): void {
    const { pieces, latestStart, latestEnd } = this.produced;
    const textBytes = latestEnd - latestStart;
    if (this.left === 0 || pieces !== piecesBefore + 1 || textBytes === 0) return;
    if (event.length - textBytes > MOST_BYTES) return;
    this.left -= 1;
    this.latest = EventTemplate.of(event, latestStart, latestEnd, filler, edits);
  }
}

/**
 * Most events of a stream differ from the one before in what the model has written, and often in a filler, whose length hides how long that
 * is (OpenAI's `obfuscation`). What was found out about one of them holds for the next one that has the same bytes beside these strings.
 */
class EventTemplate {
  readonly textStart: number;
  /** Of the event that matched last, where its strings end: the text, and the filler if there is one. */
  private readonly ends: number[];

  private constructor(
    /** What stands before, between and after the strings. */
    private readonly known: readonly Uint8Array[],
    /** The same as it is sent; `null` where events pass as they are. */
    private readonly sent: readonly Uint8Array[] | null,
  ) {
    this.textStart = known[0]?.length ?? 0;
    this.ends = known.slice(1).map(() => 0);
  }

  /** `null` for an event whose filler is no string, or comes before its text. */
  static of(
    event: Uint8Array,
    textStart: number,
    textEnd: number,
    filler: MemberSpan | null,
    edits: readonly Edit[],
  ): EventTemplate | null {
    if (filler !== null && (filler.valueStart < textEnd || event[filler.valueStart] !== QUOTE)) return null;
    const strings = [[textStart, textEnd], ...(filler === null ? [] : [[filler.valueStart + 1, filler.valueEnd - 1]])];
    const borders = [0, ...strings.flat(), event.length];
    const parts = Array.from({ length: strings.length + 1 }, (_, index) => borders.slice(2 * index, 2 * index + 2));
    return new EventTemplate(
      parts.map(([from, to]) => event.slice(from, to)),
      edits.length === 0 ? null : parts.map(([from = 0, to = 0]) => edited(event, edits, from, to)),
    );
  }

  get textEnd(): number {
    return this.ends[0] ?? 0;
  }

  /** Whether the event is such a one, and its text not empty. */
  matches(event: Uint8Array): boolean {
    const { known, ends } = this;
    let at = 0;
    for (let index = 0; index < known.length; index++) {
      const part = known[index] as Uint8Array; // Within its bounds.
      if (index > 0) {
        at = contentsEnd(event, at);
        if (at < 0) return false;
        ends[index - 1] = at;
      }
      if (!equalAt(event, at, part)) return false;
      at += part.length;
    }
    return at === event.length && this.textEnd > this.textStart;
  }

  /** What is sent for the event that matched last. */
  edited(event: Uint8Array): Uint8Array {
    const { known, sent, ends } = this;
    if (sent === null) return event;
    let length = event.length;
    for (let index = 0; index < known.length; index++)
      length += (sent[index]?.length ?? 0) - (known[index]?.length ?? 0);
    const out = new Uint8Array(length);
    let from = 0;
    let to = 0;
    for (let index = 0; index < known.length; index++) {
      const part = sent[index] as Uint8Array; // As many as are known.
      out.set(part, to);
      to += part.length;
      from += known[index]?.length ?? 0;
      const end = ends[index] ?? from;
      to += copyBytes.call(event, out, to, from, end);
      from = end;
    }
    return out;
  }
}

/**
 * Where the string ends whose contents begin at `from`: its closing quote, or -1. A line feed in it is no JSON, and might end the event for
 * whoever reads it, and begin another.
 */
function contentsEnd(event: Uint8Array, from: number): number {
  let at = from;
  while (at < event.length) {
    const byte = event[at] as number; // Within its bounds.
    if (byte === QUOTE) return at;
    // What is escaped may be a quote.
    if (byte === BACKSLASH) at++;
    if ((event[at] ?? 0) < SPACE) return -1;
    at++;
  }
  return -1;
}

/** The bytes `[from, to)`, with those of the edits that are in them. */
function edited(event: Uint8Array, edits: readonly Edit[], from: number, to: number): Uint8Array {
  const own = edits.filter(({ start, end }) => start >= from && end <= to);
  return applyEdits(event.subarray(from, to), editsWithin({ start: from }, own));
}
