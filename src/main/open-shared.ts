import type { ConversationState } from '../engine/ports/conversation-state.ts';
import type { RedisFigures } from '../engine/ports/figures.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import { type BillingSettings, DEFAULT_SERVER } from '../engine/settings/settings.ts';
import { GroupConversationState } from '../stores/group/conversation-state.ts';
import { GroupRateCounters } from '../stores/group/counters.ts';
import { MemoryConversationState } from '../stores/in-process/conversation-state.ts';
import { MemoryRateCounters } from '../stores/in-process/rate-counters.ts';
import type { Membership } from './group/membership.ts';
import { ServeError } from './listen.ts';
import type { ServeOptions } from './serve-options.ts';

/** State that several gateways share through Redis. */
export interface Shared {
  readonly counters: RateCounters;
  readonly conversationState: ConversationState;
  readonly redisState: () => 'reachable' | 'away' | null;
  /** Returns the figures of each use of Redis; none without Redis. */
  readonly redisFigures: () => readonly RedisFigures[];
  close(): Promise<unknown>;
}

/** Returns state in the memory of this process, or of its group's owner. */
function inGroup(
  membership: Membership | null,
  local: Pick<Shared, 'counters' | 'conversationState'>,
): Pick<Shared, 'counters' | 'conversationState'> {
  if (membership === null) return local;
  const { peer } = membership;
  const conversationState = new GroupConversationState(peer, local.conversationState);
  return { counters: new GroupRateCounters(peer), conversationState };
}

/** Opens state in this gateway's memory, or in Redis if several gateways share it. */
export async function openShared(options: ServeOptions, billing: BillingSettings): Promise<Shared> {
  const { redisUrl: url, redisPatience: patience, secret: masterSecret, logger, configuration } = options;
  const local = { counters: new MemoryRateCounters(options.clock), conversationState: new MemoryConversationState() };
  if (url === null) {
    return {
      ...inGroup(options.membership, local),
      redisState: () => null,
      redisFigures: () => [],
      close: async () => undefined,
    };
  }
  const redis = { url, patience, logger };
  const whenAway = billing.whenCountersAreAway;
  // This process is not among them yet.
  const gatewaysAtStart = (await options.store.nodes.living()).length + 1;
  const { RedisConversationState } = await import('../stores/redis/conversation-state.ts');
  const { RedisRateCounters } = await import('../stores/redis/rate-counters.ts');
  const maxBytes = configuration.server.sharedStateBytes ?? DEFAULT_SERVER.sharedStateBytes;
  const openingState =
    maxBytes === 0
      ? null
      : RedisConversationState.connect({ ...redis, local: local.conversationState, masterSecret, maxBytes });
  try {
    const [counters, conversationState] = await Promise.all([
      RedisRateCounters.connect({ ...redis, whenAway, local: local.counters, gatewaysAtStart }),
      openingState,
    ]);
    return {
      counters,
      conversationState: conversationState ?? local.conversationState,
      redisState: () => (counters.isAway ? 'away' : 'reachable'),
      redisFigures: () => [counters.figures, ...(conversationState === null ? [] : [conversationState.figures])],
      close: () => Promise.all([counters.close(), conversationState?.close()]),
    };
  } catch (error) {
    throw new ServeError(`REDIS_URL: ${error instanceof Error ? error.message : String(error)}`);
  }
}
