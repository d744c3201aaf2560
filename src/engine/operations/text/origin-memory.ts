import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { StateIssuing } from '../../../formats/format.ts';
import { SharedMemory } from '../../call/shared-memory.ts';

const CAPACITY = 200_000;

/**
 * Which channel issued a piece of state that travels natively and says nothing of its origin: OpenAI's encrypted reasoning,
 * which another organisation's key cannot read. By the item's id, per account; the oldest are forgotten first, and
 * no account has more than half of it.
 */
export class OriginMemory {
  private readonly channels: SharedMemory<string>;

  constructor(capacity = CAPACITY) {
    this.channels = new SharedMemory(capacity);
  }

  remember(accountId: string, keys: readonly string[], channelId: string): void {
    for (const key of keys) this.channels.set(accountId, key, channelId);
  }

  /** The channels that issued these, each once; the last one of the conversation first. */
  channelsOf(accountId: string, keys: readonly string[]): readonly string[] {
    if (this.channels.isEmpty) return [];
    const found = keys.flatMap((key) => this.channels.get(accountId, key) ?? []);
    return [...new Set(found.reverse())];
  }

  /** The request with the origin of its states where it is remembered. */
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
