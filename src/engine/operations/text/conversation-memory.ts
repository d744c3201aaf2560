import type { ClientFormat, Conversation, ParsedRequest } from '../../../formats/format.ts';
import { STATE_MARKER } from '../../../formats/shared/state-token.ts';
import type { ConversationState, Remembered } from '../../ports/conversation-state.ts';

/** Providers cache prompts from 1,024 tokens on (OpenAI and Anthropic, "Prompt caching"); a token is about four characters. */
const SMALLEST_CACHED_BYTES = 4_096;
/** The longest that a provider keeps a prompt (Anthropic's hour; OpenAI: "up to one hour"). */
const KEPT_MS = 3_600_000;
const CAPACITY = 100_000;

/** How much of a turn tells it from others. */
const MOST_TEXTS = 16;
const MOST_CHARACTERS = 400;
/** Of a longer text its length is enough: the whole of it would be put together for its beginning, 50 MB in 37 ms. */
const LONG_TEXT = 1024 * 1024;
const MOST_DEPTH = 6;
/** Members that a client may change in a turn that it sends again, and names that say nothing. */
const PASSED_OVER: ReadonlySet<string> = new Set(['cache_control', 'type', 'role', 'id', 'status']);

/** Signs of reasoning state that only its issuer can read, in the formats' own words. */
const STATE_WORDS = ['"signature"', 'thoughtSignature', 'thought_signature', 'encrypted_content', STATE_MARKER];
const { includes } = Buffer.prototype;

interface Answered {
  readonly channelId: string;
  /** Milliseconds since 1970, which other gateways can read too. */
  readonly atMs: number;
}

/** The two keys of a request: under which it is remembered, and under which the request that it goes on from was. */
export interface ConversationKeys {
  readonly accountId: string;
  readonly own: readonly string[];
  readonly earlier: readonly string[];
}

/**
 * Which channel answered a conversation last: it has the conversation's prompt in its cache, and issued the state in it, so the
 * next turn is best asked there. By the account, the model and a digest of the conversation; the oldest are forgotten first, and no
 * account has more than half of them.
 */
export class ConversationMemory {
  private readonly answered: Remembered<Answered>;

  constructor(memory: ConversationState, capacity = CAPACITY) {
    this.answered = memory.open({
      name: 'conversations',
      capacity,
      sizeOf: () => 1,
      keptMs: KEPT_MS,
      absentMs: 0,
      toText: ({ channelId, atMs }) => `${atMs} ${channelId}`,
      fromText: answeredFrom,
    });
  }

  /** Learns what other gateways remember of the conversation; `null` where there is nothing to wait for. */
  fetch({ accountId, earlier }: ConversationKeys): Promise<void> | null {
    const [closest] = earlier;
    if (closest === undefined || !this.answered.isShared) return null;
    // The others say less of where the conversation is.
    return this.answered.get(accountId, closest) === undefined ? this.answered.fetch(accountId, earlier) : null;
  }

  /** The channel that a request should be sent to first, or `null`. Times are milliseconds since 1970. */
  channelOf({ accountId, earlier }: ConversationKeys, nowMs: number): string | null {
    for (const key of earlier) {
      const found = this.answered.get(accountId, key);
      if (found && nowMs - found.atMs < KEPT_MS) return found.channelId;
    }
    return null;
  }

  /** Nothing where there was no choice of channels. */
  remember(keys: ConversationKeys | null, channelId: string, nowMs: number): void {
    if (keys === null) return;
    const { accountId, own } = keys;
    for (const key of own) this.answered.set(accountId, key, { channelId, atMs: nowMs });
  }
}

function answeredFrom(text: string): Answered | undefined {
  const space = text.indexOf(' ');
  const atMs = Number(text.slice(0, space));
  return space > 0 && Number.isFinite(atMs) ? { channelId: text.slice(space + 1), atMs } : undefined;
}

export function conversationKeys(accountId: string, format: ClientFormat, request: ParsedRequest): ConversationKeys {
  const conversation = format.conversation(request);
  const scope = `${request.model}\n`;
  const own = [keyOf(scope, conversation, conversation.turns.length)];
  const before = lengthBeforeLastAnswer(conversation);
  const isWorthIt = before > 0 && (request.bytes.length >= SMALLEST_CACHED_BYTES || holdsState(request.bytes));
  const earlier = isWorthIt ? [keyOf(scope, conversation, before)] : [];
  const { cacheKey } = conversation;
  if (cacheKey === null) return { accountId, own, earlier };
  const named = `${scope}cache ${cacheKey.slice(0, MOST_CHARACTERS)}`;
  return { accountId, own: [...own, named], earlier: [...earlier, named] };
}

/** The turns that the request before this one had: all before the model's latest answer. 0 where there is none. */
function lengthBeforeLastAnswer({ turns, isAnswer }: Conversation): number {
  let length = turns.findLastIndex(isAnswer) + 1;
  while (length > 0 && isAnswer(turns[length - 1])) length--;
  return length;
}

/** The lead, the first turn, the last one and how many there are: cheap, and different for all but copies of a conversation. */
function keyOf(scope: string, { lead, turns }: Conversation, length: number): string {
  const texts: string[] = [];
  gather(lead, texts, 0);
  gather(turns[0], texts, 0);
  gather(turns[length - 1], texts, 0);
  return `${scope}${length} ${Bun.hash(texts.join('\n'))}`;
}

/** The texts in a turn, whether it holds them as one text or in blocks. */
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
