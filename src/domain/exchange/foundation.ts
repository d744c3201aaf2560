import type { OpaqueState } from './opaque-state.ts';
import type { Message, Part, ReasoningPart, TextPart } from './part.ts';

/**
 * The thoughts and states that a tool call of an answer is based on, and their places; or those of the answer's last text, if it
 * ended without a call.
 */
export interface Foundation {
  /** The thoughts before the text that leads to the call: an answer that began with them must begin with them again. */
  readonly beforeText: readonly ReasoningPart[];
  /** That text's own state. */
  readonly text: OpaqueState | undefined;
  /** The thoughts between that text and the call, or within the text. */
  readonly beforeCall: readonly PlacedThought[];
  /** The call's own state. */
  readonly state: OpaqueState | undefined;
  /**
   * How many characters of text the answer had before each of its calls, up to this one. Chat messages have all text before all
   * calls. Only the gateway's memory has this; clients of the other formats preserve the order themselves.
   */
  readonly textBefore?: readonly number[];
}

export interface PlacedThought extends ReasoningPart {
  /** How many characters of the text before the call precede the thought; absent if all of them do. */
  readonly after?: number;
}

/** For a turn with more calls the text is not moved to its original place. */
const MOST_LAID_OUT = 128;

export function isFounded({ beforeText, text, beforeCall, state }: Foundation): boolean {
  return beforeText.length > 0 || beforeCall.length > 0 || text !== undefined || state !== undefined;
}

/** Returns the foundation with its thoughts at a path of the client's body, under which losses are reported. */
export function foundationAt(path: string, { beforeText, beforeCall, ...states }: Foundation): Foundation {
  const placed = (thought: ReasoningPart) => ({ ...thought, path });
  return { ...states, beforeText: beforeText.map(placed), beforeCall: beforeCall.map(placed) };
}

/**
 * Walks through one candidate of an answer and collects the foundation of each tool call. Thoughts without a state are
 * irrelevant.
 */
export class FoundationCollector {
  private beforeText: ReasoningPart[] = [];
  private beforeCall: PlacedThought[] = [];
  private ofText: OpaqueState | undefined;
  private hasSpoken = false;
  /** The characters of text since the last call; `total` counts the whole answer's. */
  private length = 0;
  private total = 0;
  private readonly textBefore: number[] = [];

  thought(part: ReasoningPart): void {
    if (part.state === undefined) return;
    if (this.hasSpoken) this.beforeCall.push({ ...part, after: this.length });
    else this.beforeText.push(part);
  }

  /** Notes a text, or a piece of one; `length` is its number of characters. */
  said(state?: OpaqueState, length = 0): void {
    this.hasSpoken = true;
    this.ofText = state ?? this.ofText;
    this.length += length;
    this.total += length;
  }

  /** Returns the foundation of a call with this state, and starts a new one for the next call. */
  call(state: OpaqueState | undefined): Foundation {
    const { beforeText, ofText: text, length } = this;
    const beforeCall = this.beforeCall.map(({ after = length, ...thought }) =>
      after < length ? { ...thought, after } : thought,
    );
    this.beforeText = [];
    this.beforeCall = [];
    this.ofText = undefined;
    this.hasSpoken = false;
    this.length = 0;
    if (this.textBefore.length <= MOST_LAID_OUT) this.textBefore.push(this.total);
    const isKnown = this.textBefore.length <= MOST_LAID_OUT;
    return { beforeText, text, beforeCall, state, ...(isKnown ? { textBefore: [...this.textBefore] } : {}) };
  }
}

/**
 * Returns an assistant turn with the foundations of its calls, or of its last text, each thought in its original place. For
 * foundations that the client itself returned in a token, which replace plain copies of the thoughts.
 */
export function onFoundations(message: Message, foundations: ReadonlyMap<Part, Foundation>): Message {
  const own = foundationsIn(message, foundations);
  if (own.length === 0) return message;
  const hasThoughts = own.some((one) => one.beforeText.length + one.beforeCall.length > 0);
  const isCopy = (part: Part) => hasThoughts && part.type === 'reasoning' && part.state === undefined;
  return placed(message, foundations, { ...NOTHING, replaced: new Set(message.parts.filter(isCopy)) });
}

/**
 * Does the same for foundations that the gateway remembers: a thought that the client has returned itself stays the client's own part,
 * and plain copies of the answer's thoughts, which no provider accepts, are replaced. Returns the same object if nothing is missing, or
 * if the client returned state that the answer did not have.
 */
export function onRemembered(message: Message, remembered: RememberedTurn): Message {
  const { foundations, end } = remembered;
  const own = foundationsIn(message, foundations);
  const brought = matched(message.parts, end === undefined ? own : [...own, end]);
  if (brought === null) return message;
  const parts = laidOut(message.parts, remembered);
  return placed(parts === message.parts ? message : { ...message, parts }, foundations, brought, end);
}

/** The gateway's memory of an assistant turn. */
export interface RememberedTurn {
  readonly foundations: ReadonlyMap<Part, Foundation>;
  /** The foundation of the text after the last call, or the thoughts that ended the answer there. */
  readonly end?: Foundation | undefined;
  /** Returns whether this is the text that the answer had before the call of a foundation. */
  readonly isText: (text: string, foundation: Foundation) => boolean;
}

function foundationsIn({ parts }: Message, foundations: ReadonlyMap<Part, Foundation>): readonly Foundation[] {
  return parts.flatMap((part) => foundations.get(part) ?? []);
}

/**
 * Returns the parts with the text in its original places, if the client has another order: chat messages have all of it before
 * all calls. Returns the same array if the order is right already, or if the text is not the answer's.
 */
function laidOut(parts: readonly Part[], { foundations, end, isText }: RememberedTurn): readonly Part[] {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const latest = calls.findLastIndex((call) => foundations.has(call));
  const call = calls[latest];
  const founded = end ?? (call === undefined ? undefined : foundations.get(call));
  const lengths = founded?.textBefore;
  const count = (end === undefined ? latest : calls.length - 1) + 1;
  if (founded === undefined || lengths?.length !== count + (end === undefined ? 0 : 1)) return parts;
  const texts = parts.filter((part) => part.type === 'text');
  const whole = texts.map(({ text }) => text).join('');
  const before = end === undefined ? whole.slice(0, lengths.at(-1)) : whole;
  if (isInPlace(parts, lengths.slice(0, count)) || !isText(before, founded)) return parts;
  // Offsets of citations refer to the text that contains them, and other parts have separate places.
  const isPlain = parts.every(({ type }) => type === 'text' || type === 'tool-call' || type === 'reasoning');
  const [text, ...others] = texts;
  if (!isPlain || text === undefined || others.length > 0 || text.citations !== undefined) return parts;
  return cut(parts, text, lengths.slice(0, count));
}

function isInPlace(parts: readonly Part[], lengths: readonly number[]): boolean {
  let length = 0;
  let calls = 0;
  for (const part of parts) {
    if (part.type === 'text') length += part.text.length;
    else if (part.type === 'tool-call' && calls < lengths.length && lengths[calls++] !== length) return false;
  }
  return true;
}

/**
 * Returns the parts with their only text cut into pieces: this many characters before each call, and the rest after the last one.
 */
function cut(parts: readonly Part[], text: TextPart, lengths: readonly number[]): readonly Part[] {
  const { state, ...plain } = text;
  const out: Part[] = parts.filter(({ type }) => type === 'reasoning');
  const say = (from: number, to?: number) => {
    const piece = text.text.slice(from, to);
    if (piece !== '') out.push({ ...plain, text: piece });
  };
  let said = 0;
  for (const [index, call] of parts.filter(({ type }) => type === 'tool-call').entries()) {
    const length = lengths[index];
    if (length !== undefined) {
      say(said, length);
      said = length;
    } else if (index === lengths.length) {
      say(said);
      said = text.text.length;
    }
    out.push(call);
  }
  say(said);
  const last = out.findLastIndex(({ type }) => type === 'text');
  const piece = out[last];
  if (state !== undefined && piece?.type === 'text') out[last] = { ...piece, state };
  return out;
}

function placed(
  message: Message,
  foundations: ReadonlyMap<Part, Foundation>,
  brought: Brought,
  end?: Foundation,
): Message {
  const withState = <P extends Part>(part: P, state: OpaqueState | undefined): P => {
    const hasState = 'state' in part && part.state !== undefined;
    const lacksState = state !== undefined && !hasState && !brought.carried.has(state);
    return lacksState ? { ...part, state } : part;
  };
  const parts: Part[] = [];
  let leadIn = 0;
  const last = end === undefined ? undefined : lastText(message.parts);
  for (const part of message.parts) {
    if (brought.replaced.has(part)) continue;
    const foundation = part === last && isAfterCalls(message.parts, part) ? end : foundations.get(part);
    if (foundation !== undefined) {
      parts.splice(leadIn, 0, ...foundation.beforeText.map((thought) => asBrought(thought, brought)));
      const said = parts.findLastIndex((one, index) => index >= leadIn && one.type === 'text');
      const text = parts[said];
      if (part.type !== 'text' && text !== undefined) parts[said] = withState(text, foundation.text);
    }
    const isCall = part.type === 'tool-call';
    if (!isCall) parts.push(foundation === undefined ? part : withState(part, foundation.text));
    // A thought within the text keeps its place; the others follow the text.
    for (const thought of foundation?.beforeCall ?? []) {
      const at = thought.after === undefined ? parts.length : placeAfter(parts, leadIn, thought.after);
      parts.splice(at, 0, asBrought(thought, brought));
    }
    if (!isCall) continue;
    parts.push(withState(part, foundation?.state));
    leadIn = parts.length;
  }
  if (end !== undefined && (last === undefined || !isAfterCalls(message.parts, last))) {
    for (const thought of [...end.beforeText, ...end.beforeCall]) parts.push(asBrought(thought, brought));
  }
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts };
}

function isAfterCalls(parts: readonly Part[], part: Part): boolean {
  return parts.indexOf(part) > parts.findLastIndex(({ type }) => type === 'tool-call');
}

/** Returns the index in `parts` after this many characters of text, counted from `from`; splits a text that continues beyond. */
function placeAfter(parts: Part[], from: number, characters: number): number {
  let left = characters;
  for (let index = from; index < parts.length; index++) {
    const part = parts[index];
    if (part?.type !== 'text') continue;
    left -= part.text.length;
    if (left > 0) continue;
    if (left < 0) {
      if (part.citations !== undefined) return parts.length;
      const at = part.text.length + left;
      const { state: _, ...plain } = part;
      parts.splice(index, 1, { ...plain, text: part.text.slice(0, at) }, { ...part, text: part.text.slice(at) });
    }
    let next = index + 1;
    while (parts[next]?.type === 'reasoning') next++;
    return next;
  }
  return parts.length;
}

/** Returns the last text of a turn, which stands for the answer if it calls no tool. */
export function lastText(parts: readonly Part[]): TextPart | undefined {
  return parts.findLast((part): part is TextPart => part.type === 'text');
}

/**
 * Returns an answer's parts with no thought after the last text: such a thought, unless a call follows it, is moved before the
 * text. Clients treat the last block as the answer.
 */
export function endingInText(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex(isSaidOrCalled);
  const words = parts[last];
  if (words === undefined || words.type === 'tool-call') return parts;
  const behind = parts.slice(last + 1);
  if (!behind.some(({ type }) => type === 'reasoning')) return parts;
  const thoughts = behind.filter(({ type }) => type === 'reasoning');
  const others = behind.filter(({ type }) => type !== 'reasoning');
  return [...parts.slice(0, last), ...thoughts, words, ...others];
}

function isSaidOrCalled(part: Part): boolean {
  return part.type === 'tool-call' || ((part.type === 'text' || part.type === 'refusal') && part.text !== '');
}

interface Brought {
  /** The client's own part for each remembered thought that it returned. */
  readonly thoughts: ReadonlyMap<ReasoningPart, ReasoningPart>;
  /** The client's parts that remembered ones replace. */
  readonly replaced: ReadonlySet<Part>;
  /** The states of calls and texts that the client returned in separate blocks. */
  readonly carried: ReadonlySet<OpaqueState>;
}

const NOTHING: Brought = { thoughts: new Map(), replaced: new Set(), carried: new Set() };

/** Returns the thought for the turn: the client's own part, or the remembered one without its place. */
function asBrought(thought: PlacedThought, { thoughts }: Brought): ReasoningPart {
  const own: PlacedThought = thoughts.get(thought) ?? thought;
  if (own.after === undefined) return own;
  const { after: _, ...plain } = own;
  return plain;
}

/** Returns `null` if the client returned state that the answer did not have. */
function matched(parts: readonly Part[], foundations: readonly Foundation[]): Brought | null {
  const remembered = foundations.flatMap(({ beforeText, beforeCall }) => [...beforeText, ...beforeCall]);
  const ofParts = foundations.flatMap(({ text, state }) => [text ?? [], state ?? []].flat());
  const thoughts = new Map<ReasoningPart, ReasoningPart>();
  const replaced = new Set<Part>();
  const carried = new Set<OpaqueState>();
  for (const part of parts) {
    if (part.type !== 'reasoning') continue;
    const { state } = part;
    const thought = remembered.find((one) => !thoughts.has(one) && isSameState(one.state, state));
    if (thought) thoughts.set(thought, completed(part, thought));
    const ofPart = ofParts.find((one) => isSameState(one, state));
    const isPlain = state === undefined || state.data === '';
    if (thought || (isPlain && remembered.length > 0)) replaced.add(part);
    else if (ofPart) carried.add(ofPart);
    else if (!isPlain) return null;
  }
  return { thoughts, replaced, carried };
}

/**
 * Returns the client's own part, completed: a state in the client's format does not reveal its origin, and a hidden thought lacks
 * its text; both are remembered.
 */
function completed(part: ReasoningPart, thought: ReasoningPart): ReasoningPart {
  const { state, text } = thought;
  const own = state === undefined || part.state?.channel !== null ? part : { ...part, state };
  if (part.text !== '' || text === '') return own;
  const { path } = part;
  return {
    ...thought,
    ...(own.state === undefined ? {} : { state: own.state }),
    ...(path === undefined ? {} : { path }),
  };
}

function isSameState(left: OpaqueState | undefined, right: OpaqueState | undefined): boolean {
  return left !== undefined && left.family === right?.family && left.data === right.data;
}
