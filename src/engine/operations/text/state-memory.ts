import { type Foundation, FoundationCollector, lastText, onRemembered } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import type { PartObserver, StreamPart } from '../../../domain/exchange/stream-part.ts';
import { atOnce, type Steps } from '../../../formats/shared/steps.ts';
import type { ConversationState, Remembered, RememberedKind } from '../../ports/conversation-state.ts';

/** `null` for an id that two answers have used: whose thoughts it stands for cannot be told. */
type Known = Foundation | null;

type Remember = (key: string, foundation: Foundation) => void;

const DEFAULT_CAPACITY_BYTES = 64 * 1024 * 1024;
/** An answer that thinks longer than this between two calls is not remembered. */
const MAX_ENTRY_CHARACTERS = 2 * 1024 * 1024;
/** Long enough for who goes on with the work of the week before. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** An answer is remembered before its client can bring it back, so that only a write that was late comes after the asking. */
const ABSENT_MS = 60_000;
/** Of one request, the latest: more calls than this no turn of an agent has. */
const MOST_FETCHED = 1_000;

/**
 * Many clients rebuild an assistant's turn from its text and its tool calls and lose every other field on the way, the
 * reasoning state among them; others bring back a part of it, or all of it in another order. Since none can lose the ids of
 * the tool calls, the state of a translated answer is also remembered by these, per account, and put back to where it stood.
 * An answer that calls no tool is known again by its text and by what it answers: no client format has a place for the state of
 * a text that is out already when its state comes, and none shows thoughts unasked. Bounded in bytes, of which an account has
 * at most half; the oldest goes first. State that a client brings and the answer did not have always wins.
 *
 * Some servers count their calls instead of naming them apart (`search:0`): an id that comes again with other thoughts is not
 * used any more, so that no conversation gets those of another one.
 */
export class StateMemory {
  private readonly entries: Remembered<Known>;

  constructor(memory: ConversationState, capacityBytes = DEFAULT_CAPACITY_BYTES) {
    this.entries = memory.open(kindOf(capacityBytes));
  }

  rememberAnswer(accountId: string, request: ExchangeRequest, response: ExchangeResponse): void {
    const remember = this.rememberFor(accountId);
    for (const { parts } of response.candidates) {
      const candidate = new WatchedCandidate(request, remember);
      for (const part of parts) {
        if (part.type === 'reasoning') candidate.foundations.thought(part);
        else if (part.type === 'tool-call') candidate.called(part, part.state);
        else if (part.type === 'text') candidate.said(part.text, part.state);
        else candidate.foundations.said();
      }
      candidate.finished();
    }
  }

  /** Watches a stream that answers `request` and remembers what its tool calls, or its text, stand on. */
  observer(accountId: string, request: ExchangeRequest): PartObserver {
    return new AnswerObserver(request, this.rememberFor(accountId));
  }

  /** Whether other gateways may remember more. */
  get isShared(): boolean {
    return this.entries.isShared;
  }

  /** Learns what other gateways remember of the request's answers and this one does not; `null` where there is nothing to wait for. */
  fetch(accountId: string, { messages }: ExchangeRequest): Promise<void> | null {
    if (!this.isShared) return null;
    const keys: string[] = [];
    for (let index = messages.length - 1; index >= 0 && keys.length < MOST_FETCHED; index--) {
      const message = messages[index];
      if (message?.role !== 'assistant') continue;
      const calls = message.parts.flatMap((part) => (part.type === 'tool-call' ? keyOf(part) : []));
      if (calls.length > 0) keys.push(...calls);
      else if (lastText(message.parts)) keys.push(keyOfText(textsOf(message), messages[index - 1]));
    }
    return keys.length === 0 ? null : this.entries.fetch(accountId, keys.slice(0, MOST_FETCHED));
  }

  /** The request with the remembered state in the assistant's turns that have lost it; the same object where none has. */
  restore(accountId: string, request: ExchangeRequest): ExchangeRequest {
    return atOnce(this.restoring(accountId, request));
  }

  /** What `restore` does, message by message. */
  *restoring(accountId: string, request: ExchangeRequest): Steps<ExchangeRequest> {
    if (this.entries.isEmpty) return request;
    let changed = false;
    const messages: Message[] = [];
    for (const [index, message] of request.messages.entries()) {
      const isAnswer = message.role === 'assistant';
      const restored = isAnswer ? this.restored(accountId, message, request.messages[index - 1]) : message;
      changed ||= restored !== message;
      messages.push(restored);
      yield;
    }
    return changed ? { ...request, messages } : request;
  }

  private restored(accountId: string, message: Message, before: Message | undefined): Message {
    const foundations = new Map<Part, Foundation>();
    let calls = 0;
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue;
      calls++;
      const foundation = this.entries.use(accountId, keyOf(part));
      if (foundation) foundations.set(part, foundation);
    }
    const text = calls === 0 ? lastText(message.parts) : undefined;
    const foundation = text && this.entries.use(accountId, keyOfText(textsOf(message), before));
    if (text && foundation) foundations.set(text, foundation);
    return foundations.size === 0 ? message : onRemembered(message, foundations);
  }

  private rememberFor(accountId: string): Remember {
    return (key, foundation) => this.remember(accountId, key, foundation);
  }

  private remember(accountId: string, key: string, foundation: Foundation): void {
    const known = this.entries.get(accountId, key);
    const characters = charactersOf(foundation);
    const isWorthwhile = characters > 0 && characters <= MAX_ENTRY_CHARACTERS;
    if (known === undefined && !isWorthwhile) return;
    const isTheSame = known === undefined || (known !== null && isSame(known, foundation));
    this.entries.set(accountId, key, isTheSame ? foundation : null);
  }
}

function kindOf(capacity: number): RememberedKind<Known> {
  return {
    name: 'states',
    capacity,
    sizeOf(accountId, key, known) {
      const characters = known === null ? 0 : charactersOf(known);
      return 2 * (accountId.length + key.length + 1 + characters) + 200;
    },
    keptMs: KEPT_MS,
    absentMs: ABSENT_MS,
    toText: (known) => JSON.stringify(known),
    // It was written by this file's own `toText`: what others have written does not open.
    fromText: (text) => JSON.parse(text) as Known,
    collision: { value: null, isLikely: isCounted },
  };
}

const RANDOM_RUN = /(?=[a-z\d]*\d)(?=[a-z\d]*[a-z])[a-z\d]{8,}/i;
const MOST_ID_CHARACTERS = 200;

/** Whether the id of a call may be one of a count, which others have too (`search:0`), and not random text. */
function isCounted(key: string): boolean {
  const end = key.indexOf('\n');
  // An answer that is known by its text.
  if (end === 0) return false;
  const id = key.slice(end + 1, end + 1 + MOST_ID_CHARACTERS).replaceAll(key.slice(0, end), ' ');
  return !RANDOM_RUN.test(id);
}

function keyOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return `${name}\n${id}`;
}

const SAMPLE = 400;
/** A longer text is not put together for its ends. */
const LONG_TEXT = 64 * 1024;

/** No tool's name is empty, so that this is the key of no call. */
function keyOfText(texts: readonly string[], answered: Message | undefined): string {
  const asked = answered === undefined ? [] : textsOf(answered);
  return `\n${Bun.hash(`${sampleOf(asked)}\n${sampleOf(texts)}`)}`;
}

/** Both ends of a text, which are enough to know it by; clients may cut off the white space around it, or cut it in pieces. */
function sampleOf(texts: readonly string[]): string {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > LONG_TEXT) {
    const end = texts.reduceRight(
      (tail, text) => (tail.length < 2 * SAMPLE ? text.slice(-2 * SAMPLE) + tail : tail),
      '',
    );
    const beginning = texts.reduce(
      (head, text) => (head.length < 2 * SAMPLE ? head + text.slice(0, 2 * SAMPLE) : head),
      '',
    );
    return `${beginning.trimStart().slice(0, SAMPLE)} ${end.trimEnd().slice(-SAMPLE)}`;
  }
  const whole = texts.join('').trim();
  return whole.length <= 2 * SAMPLE ? whole : `${whole.length} ${whole.slice(0, SAMPLE)} ${whole.slice(-SAMPLE)}`;
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return part.text;
    if (part.type !== 'tool-result') return [];
    return part.content.flatMap((found) => (found.type === 'text' ? found.text : []));
  });
}

/** The text that a foundation holds; 0 where the call stands on nothing. */
function charactersOf({ beforeText, beforeCall, text: ofText, state }: Foundation): number {
  const thoughts = [...beforeText, ...beforeCall].map(({ text, state: own }) => text.length + (own?.data.length ?? 0));
  const own = (ofText?.data.length ?? 0) + (state?.data.length ?? 0);
  return thoughts.reduce((sum, length) => sum + length, own);
}

function isSame(left: Foundation, right: Foundation): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** A candidate of an answer, with the block of a stream that is open. */
class WatchedCandidate {
  readonly foundations = new FoundationCollector();
  thought = '';
  flags: { readonly summary?: boolean; readonly redacted?: boolean } = {};
  call = { id: '', name: '' };
  private text = '';
  private hasCalls = false;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly remember: Remember,
  ) {}

  said(text: string, state?: OpaqueState): void {
    this.text += text;
    this.foundations.said(state);
  }

  called(call: { readonly id: string; readonly name: string }, state: OpaqueState | undefined): void {
    this.hasCalls = true;
    this.remember(keyOf(call), this.foundations.call(state));
  }

  finished(): void {
    if (this.hasCalls || this.text === '') return;
    const foundation = this.foundations.call(undefined);
    this.remember(keyOfText([this.text], this.request.messages.at(-1)), foundation);
  }
}

class AnswerObserver implements PartObserver {
  private readonly candidates = new Map<number, WatchedCandidate>();

  constructor(
    private readonly request: ExchangeRequest,
    private readonly remember: Remember,
  ) {}

  see(part: StreamPart): void {
    if (!('candidate' in part)) return;
    const watched = this.candidate(part.candidate);
    switch (part.type) {
      case 'reasoning-start':
        watched.thought = '';
        watched.flags = {
          ...(part.summary === undefined ? {} : { summary: part.summary }),
          ...(part.redacted === undefined ? {} : { redacted: part.redacted }),
        };
        break;
      case 'reasoning-delta':
        watched.thought += part.text;
        break;
      case 'reasoning-end': {
        const { thought: text, flags } = watched;
        const state = part.state === undefined ? {} : { state: part.state };
        watched.foundations.thought({ type: 'reasoning', text, ...flags, ...state });
        break;
      }
      case 'tool-call-start':
        watched.call = part;
        break;
      case 'tool-call-end':
        watched.called(watched.call, part.state);
        break;
      case 'text-delta':
        watched.said(part.text);
        break;
      case 'text-end':
        watched.said('', part.state);
        break;
      case 'refusal-start':
      case 'media':
      case 'unknown':
        watched.foundations.said();
        break;
      case 'finish':
        watched.finished();
        break;
    }
  }

  private candidate(index: number): WatchedCandidate {
    const known = this.candidates.get(index);
    if (known) return known;
    const watched = new WatchedCandidate(this.request, this.remember);
    this.candidates.set(index, watched);
    return watched;
  }
}
