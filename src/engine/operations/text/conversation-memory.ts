import type { Conversation, ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import { STATE_MARKER } from '../../../formats/text/shared/state-token.ts';
import type { ConversationState, Remembered, RememberedKind } from '../../ports/conversation-state.ts';
import type { ClientHeaders } from './relayed-headers.ts';
import { digestOf, sessionIn } from './session-id.ts';

/** Providers cache prompts from 1,024 tokens on (OpenAI and Anthropic, "Prompt caching"); a token is about four characters. */
const SMALLEST_CACHED_BYTES = 4_096;
/** The longest that a provider keeps a prompt (Anthropic's hour; OpenAI: "up to one hour"). */
const KEPT_MS = 3_600_000;
const CAPACITY = 100_000;

/** How much of a turn distinguishes it from others. */
const MOST_TEXTS = 16;
const MOST_CHARACTERS = 400;
/** For a longer text only its length is used: reading its beginning would first join the whole text, 50 MB in 37 ms. */
const LONG_TEXT = 1024 * 1024;
const MOST_DEPTH = 6;
/** Members that a client may change when it sends a turn again, and members that do not distinguish turns. */
const PASSED_OVER: ReadonlySet<string> = new Set(['cache_control', 'type', 'role', 'id', 'status']);

/** Marks of reasoning state that only its issuer can read, as the formats write it. */
const STATE_WORDS = ['"signature"', 'thoughtSignature', 'thought_signature', 'encrypted_content', STATE_MARKER];
const { includes } = Buffer.prototype;

interface Answered {
  readonly place: string;
  /** Milliseconds since 1970; other gateways can compare this clock, unlike a monotonic one. */
  readonly atMs: number;
}

/** A request whose conversation is looked for. */
export interface AskedConversation {
  readonly accountId: string;
  readonly format: ClientFormat;
  /** The request with the earlier turns of its conversation. */
  readonly request: ParsedRequest;
  readonly client: ClientHeaders;
}

/**
 * The keys of a request: `own`, under which it is remembered, and `earlier`, under which the request that it continues
 * was remembered; `null` if it continues none that is worth looking for.
 */
export interface ConversationKeys {
  readonly accountId: string;
  readonly own: string;
  readonly earlier: string | null;
  /** The keys of the names that the client gives to a prompt cache and to its session, by rank. Later requests have the same. */
  readonly named: readonly string[];
}

/**
 * Remembers which channel answered a conversation last. That channel has the prompt in its cache and issued the state,
 * so the next turn is best sent there. Keyed by account, model and a digest of the conversation. The oldest entries are
 * evicted first, and one account has at most half of the capacity.
 *
 * Names that clients choose, for a prompt cache or a session, have a memory of their own, so that a client with countless names evicts no
 * conversations. Only digests of the names are kept.
 */
export class ConversationMemory {
  private readonly answered: Remembered<Answered>;
  private readonly named: Remembered<Answered>;

  constructor(memory: ConversationState, capacity = CAPACITY) {
    this.answered = memory.open({ ...KIND, name: 'conversations', capacity });
    // Each request of a session changes the entry, so another gateway may have a later one.
    this.named = memory.open({ ...KIND, name: 'sessions', capacity, isNewer: ({ atMs }, than) => atMs > than.atMs });
  }

  /** Loads the other gateways' memory of the conversation; `null` if there is nothing to wait for. */
  fetch({ accountId, earlier, named }: ConversationKeys): Promise<unknown> | null {
    if (!this.answered.isShared) return null;
    const isKnown = earlier !== null && this.answered.get(accountId, earlier) !== undefined;
    // Names identify the conversation less exactly, so they are not loaded if it is known.
    if (isKnown) return null;
    const answered = earlier === null ? null : this.answered.fetch(accountId, [earlier]);
    const byName = named.length === 0 ? null : this.named.fetch(accountId, named);
    return answered === null || byName === null ? (answered ?? byName) : Promise.all([answered, byName]);
  }

  /** Returns the channel that a request should be sent to first, or `null`. Times are milliseconds since 1970. */
  channelOf({ accountId, earlier, named }: ConversationKeys, nowMs: number): string | null {
    const answered = earlier === null ? undefined : this.answered.get(accountId, earlier);
    if (isRecent(answered, nowMs)) return answered.place;
    for (const key of named) {
      const found = this.named.get(accountId, key);
      if (isRecent(found, nowMs)) return found.place;
    }
    return null;
  }

  /** Remembers the channel that answered; does nothing if there was no choice of channels. */
  remember(keys: ConversationKeys | null, place: string, nowMs: number): void {
    if (keys === null) return;
    const { accountId, own, named } = keys;
    const answered = { place, atMs: nowMs };
    this.answered.set(accountId, own, answered);
    for (const key of named) this.named.set(accountId, key, answered);
  }
}

const KIND: Omit<RememberedKind<Answered>, 'name' | 'capacity'> = {
  sizeOf: () => 1,
  keptMs: KEPT_MS,
  absentMs: 0,
  toText: ({ place, atMs }) => `${atMs} ${place}`,
  fromText: answeredFrom,
};

function isRecent(answered: Answered | undefined, nowMs: number): answered is Answered {
  return answered !== undefined && nowMs - answered.atMs < KEPT_MS;
}

function answeredFrom(text: string): Answered | undefined {
  const space = text.indexOf(' ');
  const atMs = Number(text.slice(0, space));
  return space > 0 && Number.isFinite(atMs) ? { place: text.slice(space + 1), atMs } : undefined;
}

export function conversationKeys({ accountId, format, request, client }: AskedConversation): ConversationKeys {
  const conversation = format.conversation(request);
  const scope = `${request.model}\n`;
  const own = keyOf(scope, conversation, conversation.turns.length);
  const before = lengthBeforeLastAnswer(conversation);
  const isWorthIt = before > 0 && (request.bytes.length >= SMALLEST_CACHED_BYTES || holdsState(request.bytes));
  const earlier = isWorthIt ? keyOf(scope, conversation, before) : null;
  return { accountId, own, earlier, named: namesOf(scope, conversation.cacheKey, sessionIn(client, request.body)) };
}

const UNNAMED: readonly string[] = [];

function namesOf(scope: string, cacheKey: string | null, session: string | null): readonly string[] {
  const ofSession = session === null ? UNNAMED : [`${scope}session ${session}`];
  return cacheKey === null ? ofSession : [`${scope}cache ${digestOf(cacheKey)}`, ...ofSession];
}

/**
 * Returns a digest of the turns before the model's first answer, which are the same in all requests of a conversation; `null` if there are
 * none. As cheap as the keys.
 */
export function openingOf(conversation: Conversation): string | null {
  const { turns, isAnswer } = conversation;
  const answer = turns.findIndex(isAnswer);
  const length = answer < 0 ? turns.length : answer;
  return length === 0 ? null : keyOf('opening ', conversation, length);
}

/** Returns the number of turns in the previous request: all before the model's latest answer, or 0. */
function lengthBeforeLastAnswer({ turns, isAnswer }: Conversation): number {
  let length = turns.findLastIndex(isAnswer) + 1;
  while (length > 0 && isAnswer(turns[length - 1])) length--;
  return length;
}

/**
 * Returns a digest of the lead, the first and the last turn, and their number: cheap, and different for all conversations except copies.
 */
function keyOf(scope: string, { lead, turns }: Conversation, length: number): string {
  const texts: string[] = [];
  gather(lead, texts, 0);
  gather(turns[0], texts, 0);
  gather(turns[length - 1], texts, 0);
  return `${scope}${length} ${Bun.hash(texts.join('\n'))}`;
}

/** Collects the texts of a turn, which may be one text or several blocks. */
function gather(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') {
    const { length } = value;
    if (length <= MOST_CHARACTERS) texts.push(value);
    else texts.push(length > LONG_TEXT ? `${length}` : `${length} ${value.slice(0, MOST_CHARACTERS)}`);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
  const limit = texts.length + MOST_TEXTS;
  for (const [name, member] of Object.entries(value)) {
    if (texts.length >= limit) break;
    if (!PASSED_OVER.has(name)) gather(member, texts, depth + 1);
  }
}

function holdsState(bytes: Uint8Array): boolean {
  return STATE_WORDS.some((word) => includes.call(bytes, word));
}
