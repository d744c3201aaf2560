import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { StateIssuing } from '../../../formats/text/provider-state.ts';
import type { ConversationState, Remembered } from '../../ports/conversation-state.ts';

const CAPACITY = 200_000;
/** The retention of the state itself (`state-memory.ts`). */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const ABSENT_MS = 60_000;
/** The most keys looked up for one request; the latest are used. */
const MOST_FETCHED = 1_000;

/**
 * Remembers which channel issued state that does not name its origin, such as OpenAI's encrypted reasoning, which the key of another
 * organisation cannot decrypt. Keyed by account and item id. The oldest entries are evicted first, and one account has at most half of the
 * capacity.
 */
export class OriginMemory {
  private readonly channels: Remembered<string>;

  constructor(memory: ConversationState, capacity = CAPACITY) {
    this.channels = memory.open({
      name: 'origins',
      capacity,
      sizeOf: () => 1,
      keptMs: KEPT_MS,
      absentMs: ABSENT_MS,
      toText: (place) => place,
      fromText: (text) => text,
    });
  }

  remember(accountId: string, keys: readonly string[], place: string): void {
    for (const key of keys) this.channels.set(accountId, key, place);
  }

  /** Loads the other gateways' memory of these keys; `null` if there is nothing to wait for. */
  fetch(accountId: string, keys: readonly string[]): Promise<void> | null {
    if (keys.length === 0 || !this.channels.isShared) return null;
    return this.channels.fetch(accountId, keys.slice(-MOST_FETCHED).reverse());
  }

  /** Returns the channels that issued this state, without duplicates; the latest of the conversation first. */
  channelsOf(accountId: string, keys: readonly string[]): readonly string[] {
    if (this.channels.isEmpty) return [];
    const found = keys.flatMap((key) => this.channels.get(accountId, key) ?? []);
    return [...new Set(found.reverse())];
  }

  /** Adds the origin to the states of the request, if it is remembered. */
  withOrigins(accountId: string, request: ExchangeRequest, issuing: StateIssuing): ExchangeRequest {
    if (this.channels.isEmpty) return request;
    const originOf = (state: OpaqueState): OpaqueState => {
      const key = state.channel === null ? issuing.keyOf(state) : null;
      const channel = key === null ? undefined : this.channels.get(accountId, key);
      return channel === undefined ? state : { ...state, channel };
    };
    const messages = request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        (part.type === 'reasoning' || part.type === 'unknown') && part.state !== undefined
          ? { ...part, state: originOf(part.state) }
          : part,
      ),
    }));
    return { ...request, messages };
  }
}
