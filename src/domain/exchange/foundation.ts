import type { OpaqueState } from './opaque-state.ts';
import type { Message, Part, ReasoningPart, TextPart } from './part.ts';

/** What a tool call of an answer stood on, and where; or the answer's last text, where it ended without a call. */
export interface Foundation {
  /** The thoughts before the text that leads to the call: an answer that began with them must begin with them again. */
  readonly beforeText: readonly ReasoningPart[];
  /** That text's own state. */
  readonly text: OpaqueState | undefined;
  /** The thoughts between that text and the call. */
  readonly beforeCall: readonly ReasoningPart[];
  /** The call's own state. */
  readonly state: OpaqueState | undefined;
}

export function isFounded({ beforeText, text, beforeCall, state }: Foundation): boolean {
  return beforeText.length > 0 || beforeCall.length > 0 || text !== undefined || state !== undefined;
}

/** The same with its thoughts at a place of the client's body: losses are named by it. */
export function foundationAt(path: string, { beforeText, beforeCall, ...states }: Foundation): Foundation {
  const placed = (thought: ReasoningPart) => ({ ...thought, path });
  return { ...states, beforeText: beforeText.map(placed), beforeCall: beforeCall.map(placed) };
}

/** Walks through one candidate of an answer and tells what each tool call in it stands on. Thoughts without a state say nothing to anyone. */
export class FoundationCollector {
  private beforeText: ReasoningPart[] = [];
  private beforeCall: ReasoningPart[] = [];
  private ofText: OpaqueState | undefined;
  private hasSpoken = false;

  thought(part: ReasoningPart): void {
    if (part.state !== undefined) (this.hasSpoken ? this.beforeCall : this.beforeText).push(part);
  }

  said(state?: OpaqueState): void {
    this.hasSpoken = true;
    this.ofText = state ?? this.ofText;
  }

  /** What a call with this state stands on; what comes after it belongs to the next one. */
  call(state: OpaqueState | undefined): Foundation {
    const { beforeText, beforeCall, ofText: text } = this;
    this.beforeText = [];
    this.beforeCall = [];
    this.ofText = undefined;
    this.hasSpoken = false;
    return { beforeText, text, beforeCall, state };
  }
}

/**
 * An assistant's turn with what its calls, or its last text, stand on, each thought where it stood. For what the client itself has
 * brought in a token; a plain copy of thoughts beside it makes room for them.
 */
export function onFoundations(message: Message, foundations: ReadonlyMap<Part, Foundation>): Message {
  const own = foundationsIn(message, foundations);
  if (own.length === 0) return message;
  const hasThoughts = own.some((one) => one.beforeText.length + one.beforeCall.length > 0);
  const isCopy = (part: Part) => hasThoughts && part.type === 'reasoning' && part.state === undefined;
  return placed(message, foundations, { ...NOTHING, replaced: new Set(message.parts.filter(isCopy)) });
}

/**
 * The same for what the gateway remembers: a thought that the client has brought itself is the client's own part, and its plain
 * copy of what the answer thought, which no provider takes back, makes room for the thought. The same object where nothing is
 * missing, or where the client brings state that the answer did not have: then it knows better.
 */
export function onRemembered(message: Message, foundations: ReadonlyMap<Part, Foundation>): Message {
  const brought = matched(message.parts, foundationsIn(message, foundations));
  return brought === null ? message : placed(message, foundations, brought);
}

function foundationsIn({ parts }: Message, foundations: ReadonlyMap<Part, Foundation>): readonly Foundation[] {
  return parts.flatMap((part) => foundations.get(part) ?? []);
}

function placed(message: Message, foundations: ReadonlyMap<Part, Foundation>, brought: Brought): Message {
  const asBrought = (thought: ReasoningPart) => brought.thoughts.get(thought) ?? thought;
  const withState = <P extends Part>(part: P, state: OpaqueState | undefined): P => {
    const hasState = 'state' in part && part.state !== undefined;
    const lacksState = state !== undefined && !hasState && !brought.carried.has(state);
    return lacksState ? { ...part, state } : part;
  };
  const parts: Part[] = [];
  let leadIn = 0;
  for (const part of message.parts) {
    if (brought.replaced.has(part)) continue;
    const foundation = foundations.get(part);
    if (foundation !== undefined) {
      parts.splice(leadIn, 0, ...foundation.beforeText.map(asBrought));
      const said = parts.findLastIndex((one, index) => index >= leadIn && one.type === 'text');
      const text = parts[said];
      if (part.type !== 'text' && text !== undefined) parts[said] = withState(text, foundation.text);
    }
    if (part.type === 'tool-call') {
      parts.push(...(foundation?.beforeCall.map(asBrought) ?? []), withState(part, foundation?.state));
      leadIn = parts.length;
    } else if (foundation === undefined) parts.push(part);
    else parts.push(withState(part, foundation.text), ...foundation.beforeCall.map(asBrought));
  }
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts };
}

/** The last text of a turn, which stands for the answer where it calls no tool. */
export function lastText(parts: readonly Part[]): TextPart | undefined {
  return parts.findLast((part): part is TextPart => part.type === 'text');
}

/**
 * The parts of an answer without a thought after its last text: such a thought, unless a call follows it, is moved before the
 * text. Clients take the last block as the answer.
 */
export function endingInWords(parts: readonly Part[]): readonly Part[] {
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
  /** The client's part for each remembered thought that it has brought. */
  readonly thoughts: ReadonlyMap<ReasoningPart, ReasoningPart>;
  /** The client's parts that the remembered ones stand for. */
  readonly replaced: ReadonlySet<Part>;
  /** The calls' and texts' states that the client has brought in blocks of their own. */
  readonly carried: ReadonlySet<OpaqueState>;
}

const NOTHING: Brought = { thoughts: new Map(), replaced: new Set(), carried: new Set() };

/** `null` where the client brings state that the answer did not have. */
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
 * The client's own part; where it brings the state as its format has it, nothing in it says whose it was, and where the client
 * was not shown the thought, its text is the remembered one.
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
