import { Failure } from '../../domain/failure/failure.ts';
import type { Finding } from '../../domain/guards/guard-rules.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';
import type { CompiledGuard } from '../directory/guards-in-force.ts';
import type { CallGuard } from './call-guard.ts';
import { findingsIn, hiddenIn, TextGuard } from './guarded-text.ts';
import { jsonTokens, TextEdits } from './json-tokens.ts';
import { judgedContent } from './judge-content.ts';
import type { FramedEvent } from './restored-events.ts';
import { type EventTexts, textsIn } from './stream-texts.ts';
import { unescapedJson } from './unescaped-json.ts';

/** More events are not held, whatever they contain. */
const MOST_EVENTS = 512;
/** More texts of one stream are not told apart: the oldest forgets what was before. */
const MOST_TRACKS = 256;
/** Members of events that have no words of the model. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['id', 'object', 'model', 'type', 'role', 'finish_reason', 'item_id', 'system_fingerprint', 'service_tier'],
  ...['stop_reason', 'status', 'responseId', 'modelVersion', 'finishReason'],
]);

interface HeldEvent {
  readonly event: FramedEvent;
  readonly pieces: readonly HeldPiece[];
}

interface HeldPiece {
  readonly member: string;
  /** The text as the upstream has sent it, by which it is found in the event. */
  readonly original: string;
  text: string;
  readonly track: Track;
}

/** A text that the stream sends piece by piece. */
interface Track {
  readonly scope: string;
  readonly isJson: boolean;
  /** The end of what was sent, so that a match may begin there. */
  before: string;
  /** The offset of `before` in the whole text. */
  base: number;
  held: HeldPiece[];
  /** Whether nothing more is expected, so that nothing has to be held. */
  isOver: boolean;
  /** Whether it has text that no check has judged. */
  isNew: boolean;
  /** The end of the last match of each rule, so that it counts once. */
  readonly counted: Map<string, number>;
}

/**
 * Checks the texts of a stream in windows: events are held until the text after them is long enough, and sent in their order. A match that is not
 * longer than half of `holdCharacters` is found before any part of it is sent.
 */
export class CheckedEvents {
  private readonly queue: HeldEvent[] = [];
  private readonly tracks = new Map<string, Track>();
  private readonly guards: readonly CompiledGuard[];
  private readonly keep: number;
  private held = 0;

  constructor(
    private readonly call: CallGuard,
    private readonly holdCharacters: number,
  ) {
    this.guards = call.of('output');
    this.keep = Math.floor(holdCharacters / 2);
  }

  /** Resolves to the events that may be sent, or to the failure of a rule that refuses the text. */
  async event(event: FramedEvent): Promise<readonly FramedEvent[] | Failure> {
    const texts = event.json === '' ? { pieces: [], ends: [] } : textsIn(parsed(event.json));
    const checked = event.json === '' ? event : await this.wholeTexts(event, texts);
    if (checked instanceof Failure) return checked;
    const isEnd = this.hold(checked, texts);
    const isDue = isEnd || this.held >= this.holdCharacters || this.queue.length > MOST_EVENTS;
    if (!isDue && this.held > 0) return [];
    return (this.held > 0 ? await this.check() : null) ?? this.released(this.queue.length > MOST_EVENTS);
  }

  /** Resolves to the rest of the events, at the end of the stream. */
  async end(): Promise<readonly FramedEvent[] | Failure> {
    for (const track of this.tracks.values()) track.isOver = true;
    return (await this.check()) ?? this.released(true);
  }

  /** Checks the strings of an event that are no pieces, such as the whole text at the end of an item. */
  private async wholeTexts(event: FramedEvent, { pieces }: EventTexts): Promise<FramedEvent | Failure> {
    const edits = new TextEdits(event.json);
    const guard = new TextGuard(this.call, new Turns(), { stage: 'output' });
    let place = 0;
    for (const token of jsonTokens(event.json)) {
      const piece = pieces[place];
      if (token.kind === 'string' && piece?.member === token.member && piece.text === token.text) place++;
      else if (token.kind === 'string' && !PLAIN.has(token.member)) {
        const text = await guard.text(token.text, 0, token.member);
        if (text instanceof Failure) return text;
        if (text !== token.text) edits.replace(token, JSON.stringify(text));
      }
    }
    return { ...event, json: edits.text };
  }

  /** Adds an event to the queue. Returns whether a text ends with it. */
  private hold(event: FramedEvent, { pieces, ends }: EventTexts): boolean {
    const held = pieces.map(({ track: name, scope, member, text, isJson, isLast }): HeldPiece => {
      const track = this.track(name, scope, isJson);
      track.isOver = isLast;
      const piece = { member, original: text, text, track };
      if (text !== '') track.isNew = true;
      track.held.push(piece);
      this.held += text.length;
      return piece;
    });
    this.queue.push({ event, pieces: held });
    const current = new Set(held.map(({ track }) => track));
    let isEnd = held.some(({ track }) => track.isOver);
    for (const track of this.tracks.values()) {
      if (track.held.length === 0 || current.has(track)) continue;
      const isInterrupted = held.some((piece) => piece.track.scope === track.scope);
      if (!isInterrupted && ends !== 'all' && !ends.includes(track.scope)) continue;
      track.isOver = true;
      isEnd = true;
    }
    return isEnd;
  }

  private track(name: string, scope: string, isJson: boolean): Track {
    const known = this.tracks.get(name);
    if (known !== undefined) return known;
    const counted = new Map<string, number>();
    const made = { scope, isJson, before: '', base: 0, held: [], isOver: false, isNew: false, counted };
    this.tracks.set(name, made);
    if (this.tracks.size > MOST_TRACKS) this.tracks.delete(this.tracks.keys().next().value ?? '');
    return made;
  }

  /** Judges everything that is held. Resolves to the failure if it is refused. */
  private async check(): Promise<Failure | null> {
    const judged: Track[] = [];
    for (const track of this.tracks.values()) {
      if (track.held.length === 0) continue;
      for (const guard of this.guards) {
        const refusal = this.apply(guard, track);
        if (refusal !== null) return refusal;
      }
      if (track.isNew) judged.push(track);
    }
    if (judged.length === 0) return null;
    for (const track of judged) track.isNew = false;
    const content = { stage: 'output', texts: judged.map(windowOf), images: [] } as const;
    const masking = await judgedContent(this.call, content);
    if (masking instanceof Failure) return masking;
    for (const guard of masking) {
      for (const track of judged) {
        const refusal = this.apply(guard, track);
        if (refusal !== null) return refusal;
      }
    }
    return null;
  }

  /** Applies the rules of a guard to the window of a text. */
  private apply(guard: CompiledGuard, track: Track): Failure | null {
    if (guard.rules.isEmpty) return null;
    const text = windowOf(track);
    const found = track.isJson ? findingsInJson(guard, text) : findingsIn(guard, text);
    // A match that reaches the end may be the beginning of a longer one, or of none.
    const certain = found.filter(({ end }) => end < text.length || track.isOver);
    const fresh = certain.filter(({ rule, start }) => track.base + start >= (track.counted.get(rule) ?? 0));
    for (const { rule, end } of fresh) {
      track.counted.set(rule, Math.max(track.counted.get(rule) ?? 0, track.base + end));
    }
    const refusal = this.call.found(guard, 'output', fresh);
    if (refusal !== null) return refusal;
    const hidden = hiddenIn(text, certain);
    if (hidden !== text) rewrite(track, hidden);
    return null;
  }

  /** Takes the events from the queue that may be sent. */
  private released(isAll: boolean): readonly FramedEvent[] {
    const events: FramedEvent[] = [];
    const left = new Map<Track, number>();
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      if (!isAll && !next.pieces.every((piece) => this.isSafe(piece, left))) break;
      this.queue.shift();
      events.push(written(next));
      for (const piece of next.pieces) this.sent(piece, left);
    }
    return events;
  }

  private isSafe({ track, text }: HeldPiece, left: Map<Track, number>): boolean {
    if (track.isOver || text === '') return true;
    let after = left.get(track);
    if (after === undefined) {
      after = track.held.reduce((sum, piece) => sum + piece.text.length, 0);
      left.set(track, after);
    }
    return after - text.length >= this.keep;
  }

  private sent(piece: HeldPiece, left: Map<Track, number>): void {
    const { track, text } = piece;
    track.held.shift();
    this.held -= text.length;
    const after = left.get(track);
    if (after !== undefined) left.set(track, after - text.length);
    const before = track.before + text;
    const cut = Math.max(0, before.length - this.keep);
    track.before = before.slice(cut);
    track.base += cut;
  }
}

function windowOf({ before, held }: Track): string {
  return before + held.map(({ text }) => text).join('');
}

/** Gives the held pieces the parts of a window of the same length. What was sent cannot be changed any more. */
function rewrite({ before, held }: Track, window: string): void {
  let at = before.length;
  for (const piece of held) {
    piece.text = window.slice(at, at + piece.text.length);
    at += piece.text.length;
  }
}

/** Returns the findings in a part of a JSON text, as it is and with its escapes decoded. */
function findingsInJson(guard: CompiledGuard, text: string): readonly Finding[] {
  const found = findingsIn(guard, text);
  const decoded = unescapedJson(text);
  if (decoded === null) return found;
  const known = new Set(found.map(({ rule, start }) => `${rule} ${start}`));
  const more = findingsIn(guard, decoded.text).map(({ start, end, ...finding }) => {
    return { ...finding, start: decoded.places[start] ?? 0, end: decoded.places[end] ?? text.length };
  });
  return [...found, ...more.filter(({ rule, start }) => !known.has(`${rule} ${start}`))];
}

function written({ event, pieces }: HeldEvent): FramedEvent {
  if (pieces.every(({ text, original }) => text === original)) return event;
  const edits = new TextEdits(event.json);
  let place = 0;
  for (const token of jsonTokens(event.json)) {
    const piece = pieces[place];
    if (token.kind !== 'string' || piece?.member !== token.member || piece.original !== token.text) continue;
    place++;
    if (piece.text !== piece.original) edits.replace(token, JSON.stringify(piece.text));
  }
  return { ...event, json: edits.text };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
