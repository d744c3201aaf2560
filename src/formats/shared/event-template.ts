import { applyEdits, type Edit } from './json-patch.ts';
import { equalAt, type MemberSpan } from './json-scan.ts';
import type { ProducedText } from './produced-text.ts';

const { copy: copyBytes } = Buffer.prototype;
const QUOTE = 0x22;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
/** So many templates are made in vain before the events of a stream are no longer expected to be alike. */
const IN_VAIN = 16;

/** What is known of a stream's events from the ones before. */
export class EventTemplates {
  /** How many more are made before one of them matches. */
  left = IN_VAIN;
  private latest: EventTemplate | null = null;

  /** The template of the event before, if this one is like it: then it is no more than its text and what the template says. */
  matching(event: Uint8Array): EventTemplate | null {
    if (this.latest?.matches(event) !== true) return null;
    this.left = IN_VAIN;
    return this.latest;
  }

  /**
   * To be told of an event that has been looked at, and does nothing but to add to `produced` and to be sent.
   *
   * @param piecesBefore how many pieces of text there had been
   * @param filler a member whose value has no meaning
   * @param edits what is changed of it, none of it within its text or filler
   */
  learn(
    event: Uint8Array,
    produced: ProducedText,
    piecesBefore: number,
    filler: MemberSpan | null,
    edits: readonly Edit[],
  ): void {
    const { pieces, latestStart: start, latestEnd: end } = produced;
    if (this.left === 0 || pieces !== piecesBefore + 1 || start === end) return;
    this.left -= 1;
    this.latest = EventTemplate.of(event, { start, end }, filler, edits);
  }
}

/** A string's contents in an event, without its quotes. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Most events of a stream differ from the one before in what the model has written, and often in a filler, whose length hides how long that
 * is (OpenAI's `obfuscation`). What was found out about one of them holds for the next one that has the same bytes beside these strings.
 */
class EventTemplate {
  /** Of the event that matched last: where its text ends. It begins at `textStart`. */
  textEnd = 0;
  readonly textStart: number;
  private fillerStart = 0;
  private fillerEnd = 0;

  private constructor(
    private readonly known: readonly [before: Uint8Array, between: Uint8Array, after: Uint8Array | null],
    /** The same as they are sent; `null` where events pass as they are. */
    private readonly sent: readonly [before: Uint8Array, between: Uint8Array, after: Uint8Array | null] | null,
  ) {
    this.textStart = known[0].length;
  }

  /**
   * @param text what the model has written in this event: not empty
   * @param filler a member whose value has no meaning
   * @param edits what is changed of it, none of them within these two
   * @returns `null` for an event whose filler comes first
   */
  static of(
    event: Uint8Array,
    text: TextSpan,
    filler: MemberSpan | null,
    edits: readonly Edit[],
  ): EventTemplate | null {
    if (filler === null) {
      return new EventTemplate(
        [event.slice(0, text.start), event.slice(text.end), null],
        edits.length === 0
          ? null
          : [part(event, edits, 0, text.start), part(event, edits, text.end, event.length), null],
      );
    }
    const [from, to] = [filler.valueStart + 1, filler.valueEnd - 1];
    if (from < text.end || event[filler.valueStart] !== QUOTE) return null;
    return new EventTemplate(
      [event.slice(0, text.start), event.slice(text.end, from), event.slice(to)],
      edits.length === 0
        ? null
        : [part(event, edits, 0, text.start), part(event, edits, text.end, from), part(event, edits, to, event.length)],
    );
  }

  /** Whether the event is such a one, and its text not empty. */
  matches(event: Uint8Array): boolean {
    const [before, between, after] = this.known;
    const { textStart } = this;
    if (event.length <= textStart + between.length || !equalAt(event, 0, before)) return false;
    const textEnd = contentsEnd(event, textStart);
    if (textEnd <= textStart || !equalAt(event, textEnd, between)) return false;
    this.textEnd = textEnd;
    const end = textEnd + between.length;
    if (after === null) return end === event.length;
    const fillerEnd = contentsEnd(event, end);
    if (fillerEnd < end || !equalAt(event, fillerEnd, after)) return false;
    this.fillerStart = end;
    this.fillerEnd = fillerEnd;
    return fillerEnd + after.length === event.length;
  }

  /** What is sent for the event that matched last. */
  edited(event: Uint8Array): Uint8Array {
    if (this.sent === null) return event;
    const [before, between, after] = this.sent;
    const { textStart, textEnd, fillerStart, fillerEnd } = this;
    const filled = textEnd - textStart + (after === null ? 0 : fillerEnd - fillerStart + after.length);
    const out = new Uint8Array(before.length + between.length + filled);
    out.set(before);
    let at = before.length + copyBytes.call(event, out, before.length, textStart, textEnd);
    out.set(between, at);
    if (after === null) return out;
    at += between.length;
    at += copyBytes.call(event, out, at, fillerStart, fillerEnd);
    out.set(after, at);
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
function part(event: Uint8Array, edits: readonly Edit[], from: number, to: number): Uint8Array {
  const own = edits
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end, text }) => ({ start: start - from, end: end - from, text }));
  return applyEdits(event.subarray(from, to), own);
}
