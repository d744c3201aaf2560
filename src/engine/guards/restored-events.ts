import type { Masks } from '../../domain/guards/masks.ts';
import { jsonTokens, TextEdits } from './json-tokens.ts';
import { restoredJson, restoredString, withinJson } from './restored-text.ts';
import { type TextPiece, textsIn } from './stream-texts.ts';

/** An event of a stream: its JSON, and the bytes of its framing. */
export interface FramedEvent {
  readonly before: string;
  readonly json: string;
  readonly after: string;
}

/** The end of a text that may be the beginning of a placeholder, with the event that it came in. */
interface HeldText {
  readonly scope: string;
  readonly text: string;
  readonly event: FramedEvent;
  readonly place: number;
}

const SEQUENCE = /("sequence_number"\s*:\s*)(\d+)/;

/**
 * Puts masked values back into the events of a stream. A placeholder may be split over events: the beginning of one is held until the next
 * piece of its text, at most as long as a placeholder, and sent in an event of its own if none comes.
 */
export class RestoredEvents {
  private readonly held = new Map<string, HeldText>();
  /** The number of events that were added to a stream whose events are numbered. */
  private added = 0;

  constructor(private readonly masks: Masks) {}

  /** Returns the events to send for this one. */
  event(event: FramedEvent): readonly FramedEvent[] {
    const { json } = event;
    if (this.held.size === 0 && !json.includes('[') && !json.includes('\\u005')) return [this.numbered(event)];
    const { pieces, ends } = textsIn(parsed(json));
    const first =
      pieces.length === 0 && ends === 'all' ? this.flush('all', event) : this.flushEnded(pieces, ends, event);
    return [...first, this.numbered({ ...event, json: this.restored(event, pieces) })];
  }

  /** Returns the events with what is still held, at the end of the stream. */
  end(): readonly FramedEvent[] {
    return this.flush('all', null);
  }

  private flushEnded(pieces: readonly TextPiece[], ends: readonly string[] | 'all', next: FramedEvent): FramedEvent[] {
    const continued = new Set(pieces.map(({ track }) => track));
    return this.flush(ends, next, continued);
  }

  private flush(
    scopes: readonly string[] | 'all',
    next: FramedEvent | null,
    continued?: ReadonlySet<string>,
  ): FramedEvent[] {
    const events: FramedEvent[] = [];
    for (const [track, { scope, text, event, place }] of this.held) {
      if (continued?.has(track) || (scopes !== 'all' && !scopes.includes(scope))) continue;
      this.held.delete(track);
      const own = this.numbered({ ...event, json: withOnly(event.json, place, text) }, next);
      events.push(own);
      if (SEQUENCE.test(own.json)) this.added++;
    }
    return events;
  }

  /** Gives an event its number: that of `next`, before which it is sent, or its own. */
  private numbered(event: FramedEvent, next: FramedEvent | null = event): FramedEvent {
    if (this.added === 0 && next === event) return event;
    const number = SEQUENCE.exec(next?.json ?? '')?.[2];
    if (number === undefined) return event;
    return { ...event, json: event.json.replace(SEQUENCE, (_, name) => `${name}${Number(number) + this.added}`) };
  }

  private restored(event: FramedEvent, pieces: readonly TextPiece[]): string {
    const { json } = event;
    if (pieces.length === 0) return restoredJson(json, this.masks);
    const edits = new TextEdits(json);
    let place = 0;
    for (const token of jsonTokens(json)) {
      if (token.kind === 'number') continue;
      const piece = pieces[place];
      const isPiece =
        piece !== undefined && token.kind === 'string' && token.member === piece.member && token.text === piece.text;
      const text = isPiece ? this.next(piece, event, place) : restoredString(token.text, token.member, this.masks);
      if (isPiece) place++;
      if (text !== token.text) edits.replace(token, JSON.stringify(text));
    }
    return edits.text;
  }

  /** Returns what may be sent of a text with this piece, and holds the rest. */
  private next(piece: TextPiece, event: FramedEvent, place: number): string {
    const { track, scope, isJson, isLast } = piece;
    const text = (this.held.get(track)?.text ?? '') + piece.text;
    this.held.delete(track);
    const restored = isJson ? this.masks.restored(text, withinJson) : this.masks.restored(text);
    const open = isLast ? restored.length : this.masks.openAt(restored);
    if (open < restored.length) this.held.set(track, { scope, text: restored.slice(open), event, place });
    return restored.slice(0, open);
  }
}

/** Returns an event's JSON with this text as its piece, and no other text. */
function withOnly(json: string, place: number, text: string): string {
  const { pieces } = textsIn(parsed(json));
  const edits = new TextEdits(json);
  let at = 0;
  for (const token of jsonTokens(json)) {
    const piece = pieces[at];
    if (piece === undefined || token.kind !== 'string' || token.member !== piece.member || token.text !== piece.text)
      continue;
    edits.replace(token, JSON.stringify(at === place ? text : ''));
    at++;
  }
  return edits.text;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
