import { applyEdits, type Edit } from '../../shared/json/json-patch.ts';
import { equalAt, type MemberSpan } from '../../shared/json/json-scan.ts';
import { editsWithin } from '../../shared/stream/relay-pieces.ts';
import type { ProducedText } from './produced-text.ts';

const { copy: copyBytes } = Buffer.prototype;
const QUOTE = 0x22;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
/** The number of templates that may fail to match before a stream's events are no longer expected to be alike. */
const IN_VAIN = 16;
/** The most bytes of an event besides its text. A stream keeps two copies of these until it ends; no real event has more. */
const MOST_BYTES = 4 * 1024;

/** Predicts later events of a stream from earlier ones. */
export class EventTemplates {
  /** How many more templates are made before one has to match. */
  left = IN_VAIN;
  private latest: EventTemplate | null = null;

  /** @param produced receives the model's output in the events that are taken here */
  constructor(private readonly produced: ProducedText) {}

  /**
   * Returns what to send for an event that is like the previous one: only its text differs from the template. `null` for any
   * other.
   */
  take(event: Uint8Array): Uint8Array | null {
    const { latest } = this;
    if (latest?.matches(event) !== true) return null;
    this.left = IN_VAIN;
    this.produced.addContents(event, latest.textStart, latest.textEnd);
    return latest.edited(event);
  }

  /**
   * Learns from an event that has been parsed and that only adds output and is sent on.
   *
   * @param piecesBefore how many pieces of text there were before
   * @param filler a member whose value has no meaning
   * @param edits changes to the event, none of them within its text or filler
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
 * Most events of a stream differ from the previous one only in the model's output, and often in a filler whose length hides the
 * output's length (OpenAI's `obfuscation`). The findings about one event hold for the next one that has the same bytes around
 * these strings.
 */
class EventTemplate {
  readonly textStart: number;
  /** Where the strings of the last match end: the text, and the filler if there is one. */
  private readonly ends: number[];

  private constructor(
    /** The bytes before, between and after the strings. */
    private readonly known: readonly Uint8Array[],
    /** The same, as sent to the client; `null` if events pass unchanged. */
    private readonly sent: readonly Uint8Array[] | null,
  ) {
    this.textStart = known[0]?.length ?? 0;
    this.ends = known.slice(1).map(() => 0);
  }

  /** Returns `null` for an event whose filler is not a string, or comes before its text. */
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

  /** Returns whether the event fits the template and its text is not empty. */
  matches(event: Uint8Array): boolean {
    const { known, ends } = this;
    let at = 0;
    for (let index = 0; index < known.length; index++) {
      const part = known[index] as Uint8Array; // Within bounds.
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

  /** Returns the bytes to send for the event that matched last. */
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
      const part = sent[index] as Uint8Array; // Has as many parts as `known`.
      // `set` takes three times as long for a few bytes.
      to += copyBytes.call(part, out, to);
      from += known[index]?.length ?? 0;
      const end = ends[index] ?? from;
      to += copyBytes.call(event, out, to, from, end);
      from = end;
    }
    return out;
  }
}

/**
 * Returns the offset of the quote that closes the string whose contents begin at `from`, or -1. A raw line feed in a string is
 * invalid JSON, and some readers might take it for the end of the event.
 */
function contentsEnd(event: Uint8Array, from: number): number {
  let at = from;
  while (at < event.length) {
    const byte = event[at] as number; // Within bounds.
    if (byte === QUOTE) return at;
    // The escaped character may be a quote.
    if (byte === BACKSLASH) at++;
    if ((event[at] ?? 0) < SPACE) return -1;
    at++;
  }
  return -1;
}

/** Returns the bytes `[from, to)` with the edits that lie within them. */
function edited(event: Uint8Array, edits: readonly Edit[], from: number, to: number): Uint8Array {
  const own = edits.filter(({ start, end }) => start >= from && end <= to);
  return applyEdits(event.subarray(from, to), editsWithin({ start: from }, own));
}
