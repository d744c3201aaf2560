import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { Message, Part, ReasoningPart } from '../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import type { PartObserver } from './translated-stream.ts';

/** What a tool call of an answer stood on, and where. */
interface Foundation {
  /** The thoughts before the text that leads to the call: an answer that began with them must begin with them again. */
  readonly beforeText: readonly ReasoningPart[];
  /** The thoughts between that text and the call. */
  readonly beforeCall: readonly ReasoningPart[];
  /** The call's own state. */
  readonly state: OpaqueState | undefined;
}

interface Remembered {
  /** `null` for an id that two answers have used: whose thoughts it stands for cannot be told. */
  readonly foundation: Foundation | null;
  readonly bytes: number;
}

type RememberCall = (call: { readonly id: string; readonly name: string }, foundation: Foundation) => void;

const DEFAULT_CAPACITY_BYTES = 64 * 1024 * 1024;
/** An answer that thinks longer than this between two calls is not remembered. */
const MAX_ENTRY_CHARACTERS = 2 * 1024 * 1024;

/**
 * Many clients rebuild an assistant's turn from its text and its tool calls and lose every other field on the way, the
 * reasoning state among them; others bring back a part of it, or all of it in another order. Since none can lose the ids of
 * the tool calls, the state of a translated answer is also remembered by these, per account, and put back to where it stood.
 * Bounded in bytes; the oldest goes first. State that a client brings and the answer did not have always wins.
 *
 * Some servers count their calls instead of naming them apart (`search:0`): an id that comes again with other thoughts is not
 * used any more, so that no conversation gets those of another one.
 */
export class StateMemory {
  private readonly entries = new Map<string, Remembered>();
  private bytes = 0;

  constructor(private readonly capacityBytes = DEFAULT_CAPACITY_BYTES) {}

  rememberAnswer(accountId: string, response: ExchangeResponse): void {
    for (const { parts } of response.candidates) {
      const calls = new CallCollector(this.rememberFor(accountId));
      for (const part of parts) {
        if (part.type === 'reasoning') calls.thought(part);
        else if (part.type === 'tool-call') calls.call(part, part.state);
        else calls.said();
      }
    }
  }

  /** Watches a stream and remembers what its tool calls stand on. */
  observer(accountId: string): PartObserver {
    return new AnswerObserver(this.rememberFor(accountId));
  }

  /** The request with the remembered state in the assistant's turns that have lost it; the same object where none has. */
  restore(accountId: string, request: ExchangeRequest): ExchangeRequest {
    if (this.entries.size === 0) return request;
    let changed = false;
    const messages = request.messages.map((message) => {
      const restored = message.role === 'assistant' ? this.restored(accountId, message) : message;
      changed ||= restored !== message;
      return restored;
    });
    return changed ? { ...request, messages } : request;
  }

  private restored(accountId: string, message: Message): Message {
    const foundations = new Map<Part, Foundation>();
    for (const part of message.parts) {
      const foundation = part.type === 'tool-call' ? this.recall(keyOf(accountId, part)) : null;
      if (foundation) foundations.set(part, foundation);
    }
    return foundations.size === 0 ? message : onFoundations(message, foundations);
  }

  private recall(key: string): Foundation | null {
    const entry = this.entries.get(key);
    if (!entry) return null;
    // Used again: the youngest now.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.foundation;
  }

  private rememberFor(accountId: string): RememberCall {
    return (call, foundation) => this.remember(keyOf(accountId, call), foundation);
  }

  private remember(key: string, foundation: Foundation): void {
    const known = this.entries.get(key);
    const characters = charactersOf(foundation);
    const isWorthwhile = characters > 0 && characters <= MAX_ENTRY_CHARACTERS;
    if (known === undefined && !isWorthwhile) return;
    const isTheSame = known === undefined || (known.foundation !== null && isSame(known.foundation, foundation));
    const bytes = 2 * (key.length + (isTheSame ? characters : 0)) + 200;
    this.forget(key);
    this.entries.set(key, { foundation: isTheSame ? foundation : null, bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.capacityBytes) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}

function keyOf(accountId: string, { id, name }: { readonly id: string; readonly name: string }): string {
  return `${accountId}\n${name}\n${id}`;
}

/** The text that a foundation holds; 0 where the call stands on nothing. */
function charactersOf({ beforeText, beforeCall, state }: Foundation): number {
  const thoughts = [...beforeText, ...beforeCall].map(({ text, state: own }) => text.length + (own?.data.length ?? 0));
  return thoughts.reduce((sum, length) => sum + length, state?.data.length ?? 0);
}

function isSame(left: Foundation, right: Foundation): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * An assistant's turn with what its calls stand on, each thought where it stood. A thought that the client has brought itself is
 * the client's own part; its plain copy of what the answer thought, which no provider takes back, makes room for the thought.
 */
function onFoundations(message: Message, foundations: ReadonlyMap<Part, Foundation>): Message {
  const brought = matched(message.parts, [...foundations.values()]);
  if (brought === null) return message;
  const asBrought = (thought: ReasoningPart) => brought.thoughts.get(thought) ?? thought;
  const parts: Part[] = [];
  let leadIn = 0;
  for (const part of message.parts) {
    if (brought.replaced.has(part)) continue;
    if (part.type !== 'tool-call') {
      parts.push(part);
      continue;
    }
    const foundation = foundations.get(part);
    parts.splice(leadIn, 0, ...(foundation?.beforeText.map(asBrought) ?? []));
    parts.push(...(foundation?.beforeCall.map(asBrought) ?? []));
    const state = foundation?.state;
    const lacksState = state !== undefined && part.state === undefined && !brought.carried.has(state);
    parts.push(lacksState ? { ...part, state } : part);
    leadIn = parts.length;
  }
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts };
}

interface Brought {
  /** The client's part for each remembered thought that it has brought. */
  readonly thoughts: ReadonlyMap<ReasoningPart, ReasoningPart>;
  /** The client's parts that the remembered ones stand for. */
  readonly replaced: ReadonlySet<Part>;
  /** The calls' states that the client has brought in blocks of their own. */
  readonly carried: ReadonlySet<OpaqueState>;
}

/** `null` where the client brings state that the answer did not have: then it knows better. */
function matched(parts: readonly Part[], foundations: readonly Foundation[]): Brought | null {
  const remembered = foundations.flatMap(({ beforeText, beforeCall }) => [...beforeText, ...beforeCall]);
  const thoughts = new Map<ReasoningPart, ReasoningPart>();
  const replaced = new Set<Part>();
  const carried = new Set<OpaqueState>();
  for (const part of parts) {
    if (part.type !== 'reasoning') continue;
    const { state } = part;
    const thought = remembered.find((one) => !thoughts.has(one) && isSameState(one.state, state));
    if (thought) thoughts.set(thought, knownOrigin(part, thought));
    const ofCall = foundations.find((one) => isSameState(one.state, state))?.state;
    const isPlain = state === undefined || state.data === '';
    if (thought || (isPlain && remembered.length > 0)) replaced.add(part);
    else if (ofCall) carried.add(ofCall);
    else if (!isPlain) return null;
  }
  return { thoughts, replaced, carried };
}

/** The client's own part; where it brings the state as its format has it, nothing in it says whose it was. */
function knownOrigin(part: ReasoningPart, { state }: ReasoningPart): ReasoningPart {
  return state === undefined || part.state?.channel !== null ? part : { ...part, state };
}

function isSameState(left: OpaqueState | undefined, right: OpaqueState | undefined): boolean {
  return left !== undefined && left.family === right?.family && left.data === right.data;
}

/** Walks through one candidate of an answer and tells what each tool call in it stands on. */
class CallCollector {
  private beforeText: ReasoningPart[] = [];
  private beforeCall: ReasoningPart[] = [];
  private hasSpoken = false;

  constructor(private readonly remember: RememberCall) {}

  thought(part: ReasoningPart): void {
    if (part.state !== undefined) (this.hasSpoken ? this.beforeCall : this.beforeText).push(part);
  }

  said(): void {
    this.hasSpoken = true;
  }

  call(call: { readonly id: string; readonly name: string }, state: OpaqueState | undefined): void {
    const { beforeText, beforeCall } = this;
    this.remember(call, { beforeText, beforeCall, state });
    this.beforeText = [];
    this.beforeCall = [];
    this.hasSpoken = false;
  }
}

/** A candidate of a stream with the block of it that is open. */
interface WatchedCandidate {
  readonly calls: CallCollector;
  text: string;
  flags: { readonly summary?: boolean; readonly redacted?: boolean };
  call: { readonly id: string; readonly name: string };
}

const NO_CALL = { id: '', name: '' };

class AnswerObserver implements PartObserver {
  private readonly candidates = new Map<number, WatchedCandidate>();

  constructor(private readonly remember: RememberCall) {}

  see(part: StreamPart): void {
    if (!('candidate' in part)) return;
    const watched = this.candidate(part.candidate);
    switch (part.type) {
      case 'reasoning-start':
        watched.text = '';
        watched.flags = {
          ...(part.summary === undefined ? {} : { summary: part.summary }),
          ...(part.redacted === undefined ? {} : { redacted: part.redacted }),
        };
        break;
      case 'reasoning-delta':
        watched.text += part.text;
        break;
      case 'reasoning-end': {
        const { text, flags } = watched;
        const state = part.state === undefined ? {} : { state: part.state };
        watched.calls.thought({ type: 'reasoning', text, ...flags, ...state });
        break;
      }
      case 'tool-call-start':
        watched.call = part;
        break;
      case 'tool-call-end':
        watched.calls.call(watched.call, part.state);
        break;
      case 'text-start':
      case 'refusal-start':
      case 'media':
      case 'unknown':
        watched.calls.said();
        break;
    }
  }

  private candidate(index: number): WatchedCandidate {
    const known = this.candidates.get(index);
    if (known) return known;
    const watched = { calls: new CallCollector(this.remember), text: '', flags: {}, call: NO_CALL };
    this.candidates.set(index, watched);
    return watched;
  }
}
