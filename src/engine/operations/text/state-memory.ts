import { type Foundation, FoundationCollector, lastText, onRemembered } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { Candidate, ExchangeResponse } from '../../../domain/exchange/response.ts';
import type { PartObserver, StreamPart } from '../../../domain/exchange/stream-part.ts';
import { atOnce, type Steps } from '../../../formats/shared/request/steps.ts';
import type { ConversationState, Remembered, RememberedKind } from '../../ports/conversation-state.ts';

interface KnownFoundation extends Foundation {
  /** A digest of the text before the call, by which that text is recognised. */
  readonly sample?: string;
}

/** `null` for a call id that two answers have used with different state: it is unknown which of them a request means. */
type Known = KnownFoundation | null;

/** The request of an answer. Its messages are read only if there is state to remember, since they may not be decoded yet. */
type AnsweredRequest = Pick<ExchangeRequest, 'messages'>;

/** `isPart` is set if an earlier call of the answer depends on state, so that the place of this one must be known, too. */
type Remember = (key: string | (() => string), foundation: KnownFoundation, isPart?: boolean) => void;

const DEFAULT_CAPACITY_BYTES = 64 * 1024 * 1024;
/** Larger state between two tool calls is not remembered. */
const MAX_ENTRY_CHARACTERS = 2 * 1024 * 1024;
/** Long enough to continue a conversation after a week. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/**
 * How long a missing key is not looked up again. An answer is normally remembered before its client can send it back,
 * so only a delayed write can arrive after the lookup.
 */
const ABSENT_MS = 60_000;
/** The most keys looked up for one request, latest first. No agent's turn has more tool calls than this. */
const MOST_FETCHED = 1_000;

/**
 * Many clients rebuild an assistant's turn from its text and tool calls, and lose every other field, including the reasoning state; others
 * send back only part of the state, or in another order. All clients preserve the ids of tool calls. So the state of a translated answer is
 * also remembered under these ids, per account, and restored in the next request.
 *
 * An answer without tool calls is recognised by its own text and the text before it: no client format has a place for the state of a text
 * that was already sent when its state arrives, and none shows reasoning unless asked. The memory is bounded in bytes; one account has at
 * most half, and the oldest entries are evicted first. If a client sends state that the answer did not have, the client's state takes
 * precedence.
 *
 * Some servers number their calls instead of giving unique ids (`search:0`). An id that returns with different state is no longer used, so
 * that no conversation gets the state of another.
 */
export class StateMemory {
  private readonly entries: Remembered<Known>;

  constructor(memory: ConversationState, capacityBytes = DEFAULT_CAPACITY_BYTES) {
    this.entries = memory.open(kindOf(capacityBytes));
  }

  rememberAnswer(accountId: string, request: AnsweredRequest, response: ExchangeResponse): void {
    if (this.entries.isEmpty && !response.candidates.some(hasState)) return;
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

  /** Observes the stream that answers `request`, and remembers the state of its tool calls or of its text. */
  observer(accountId: string, request: AnsweredRequest): PartObserver {
    return new AnswerObserver(request, this.rememberFor(accountId));
  }

  /** Whether the memory is shared, so that other gateways may know more. */
  get isShared(): boolean {
    return this.entries.isShared;
  }

  /** Whether earlier answers in a request may get state back. */
  get mayRestore(): boolean {
    return this.isShared || !this.entries.isEmpty;
  }

  /** Loads the other gateways' memory of answers in this request that this gateway lacks. `null` if there is nothing to wait for. */
  fetch(accountId: string, { messages }: ExchangeRequest): Promise<void> | null {
    if (!this.isShared) return null;
    const keys: string[] = [];
    for (let index = messages.length - 1; index >= 0 && keys.length < MOST_FETCHED; index--) {
      const message = messages[index];
      if (message?.role !== 'assistant') continue;
      const calls = message.parts.flatMap((part) => (part.type === 'tool-call' ? keyOf(part) : []));
      const [last] = calls.slice(-1);
      if (last !== undefined) keys.push(...calls, keyOfEnd(last));
      else if (lastText(message.parts)) keys.push(keyOfText(textsOf(message), messages[index - 1]));
    }
    return keys.length === 0 ? null : this.entries.fetch(accountId, keys.slice(0, MOST_FETCHED));
  }

  /** Restores the remembered state in the assistant's turns that have lost it. Returns the same object if none has. */
  restore(accountId: string, request: ExchangeRequest): ExchangeRequest {
    return atOnce(this.restoring(accountId, request));
  }

  /** Does the same as `restore` in steps of one message, so that a long request can yield to other work. */
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
    const foundations = new Map<Part, KnownFoundation>();
    let lastKey: string | null = null;
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue;
      lastKey = keyOf(part);
      const foundation = this.entries.use(accountId, lastKey);
      if (foundation) foundations.set(part, foundation);
    }
    const text = lastText(message.parts);
    const key = lastKey === null ? keyOfText(textsOf(message), before) : keyOfEnd(lastKey);
    const foundation = (text === undefined && lastKey === null ? null : this.entries.use(accountId, key)) ?? undefined;
    if (text && foundation && lastKey === null) foundations.set(text, foundation);
    const end = lastKey === null ? undefined : foundation;
    if (foundations.size === 0 && end === undefined) return message;
    return onRemembered(message, { foundations, end, isText });
  }

  private rememberFor(accountId: string): Remember {
    return (key, foundation, isPart) => this.remember(accountId, key, foundation, isPart === true);
  }

  /** A key that is a function is made only if needed. */
  private remember(accountId: string, of: string | (() => string), foundation: KnownFoundation, isPart: boolean): void {
    const characters = charactersOf(foundation);
    const isWorthwhile = (characters > 0 || isPart) && characters <= MAX_ENTRY_CHARACTERS;
    if (!isWorthwhile && this.entries.isEmpty) return;
    const key = typeof of === 'string' ? of : of();
    const known = this.entries.get(accountId, key);
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
    // The text was written by `toText` above. It is sealed, so text from another source cannot be opened.
    fromText: (text) => JSON.parse(text) as Known,
    collision: { value: null, isLikely: isCounted },
  };
}

const RANDOM_RUN = /(?=[a-z\d]*\d)(?=[a-z\d]*[a-z])[a-z\d]{8,}/i;
const MOST_ID_CHARACTERS = 200;

/** Returns whether the call id may be a sequence number, which other conversations have too (`search:0`), rather than random text. */
function isCounted(key: string): boolean {
  const end = key.indexOf('\n');
  // The key of an answer without tool calls.
  if (end === 0) return false;
  const id = key.slice(end + 1, end + 1 + MOST_ID_CHARACTERS).replaceAll(key.slice(0, end), ' ');
  return !RANDOM_RUN.test(id);
}

function keyOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return `${name}\n${id}`;
}

/** Returns the key of the text after the last call of an answer. No id ends with a line break. */
function keyOfEnd(keyOfLastCall: string): string {
  return `${keyOfLastCall}\n`;
}

function isText(text: string, { sample }: KnownFoundation): boolean {
  return sample === sampleKey(text);
}

function sampleKey(text: string): string {
  return Bun.hash(sampleOf([text])).toString(36);
}

const SAMPLE = 400;
/** Only the two ends of a longer text are read; joining it would cost too much. */
const LONG_TEXT = 64 * 1024;

/**
 * Returns the key of an answer without tool calls. It begins with an empty name, which no tool has, so it differs from the key of every
 * call.
 */
function keyOfText(texts: readonly string[], answered: Message | undefined): string {
  const asked = answered === undefined ? [] : textsOf(answered);
  return `\n${Bun.hash(`${sampleOf(asked)}\n${sampleOf(texts)}`)}`;
}

/**
 * Returns both ends of a text, which are enough to recognise it. Surrounding white space and the division into pieces are ignored, because
 * clients may change them.
 */
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

/** Returns whether a part of the candidate has a state: without any, nothing about it is remembered. */
function hasState({ parts }: Candidate): boolean {
  for (const part of parts) if ('state' in part && part.state !== undefined) return true;
  return false;
}

/** Returns the number of characters of state in a foundation; 0 if the call depends on no state. */
function charactersOf({ beforeText, beforeCall, text: ofText, state }: Foundation): number {
  const thoughts = [...beforeText, ...beforeCall].map(({ text, state: own }) => text.length + (own?.data.length ?? 0));
  const own = (ofText?.data.length ?? 0) + (state?.data.length ?? 0);
  return thoughts.reduce((sum, length) => sum + length, own);
}

function isSame(left: Foundation, right: Foundation): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** One candidate of an answer, with its open stream block. */
class WatchedCandidate {
  readonly foundations = new FoundationCollector();
  thought = '';
  flags: { readonly summary?: boolean; readonly redacted?: boolean } = {};
  call = { id: '', name: '' };
  private text = '';
  private lastKey: string | null = null;
  private hasState = false;

  constructor(
    private readonly request: AnsweredRequest,
    private readonly remember: Remember,
  ) {}

  said(text: string, state?: OpaqueState): void {
    this.text += text;
    this.foundations.said(state, text.length);
  }

  called(call: { readonly id: string; readonly name: string }, state: OpaqueState | undefined): void {
    this.lastKey = keyOf(call);
    this.rememberPart(this.lastKey, this.foundations.call(state));
  }

  finished(): void {
    if (this.text === '' && this.lastKey === null) return;
    const foundation = this.foundations.call(undefined);
    if (this.lastKey !== null) this.rememberPart(keyOfEnd(this.lastKey), foundation);
    else this.remember(() => keyOfText([this.text], this.request.messages.at(-1)), foundation);
  }

  /** Hashes the text only if there is state to be restored. */
  private rememberPart(key: string, foundation: Foundation): void {
    this.hasState ||= charactersOf(foundation) > 0;
    const known = this.hasState ? { ...foundation, sample: sampleKey(this.text) } : foundation;
    this.remember(key, known, this.hasState);
  }
}

class AnswerObserver implements PartObserver {
  private readonly candidates = new Map<number, WatchedCandidate>();

  constructor(
    private readonly request: AnsweredRequest,
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
