import type { ClientFormat, ParsedRequest } from '../../../formats/format.ts';
import type { ConversationState } from '../../ports/conversation-state.ts';
import { type ConversationKeys, ConversationMemory, conversationKeys } from './conversation-memory.ts';
import { OriginMemory } from './origin-memory.ts';
import { StateMemory } from './state-memory.ts';

/** What a request tells of its conversation's past, by which the channels that took part in it are known. */
export interface Past {
  readonly accountId: string;
  /** The keys of the state that it brings back in its own format. */
  readonly presented: readonly string[];
  /** Of a request that several channels could answer: where there is no choice nothing has to be known for it. */
  readonly conversation: ConversationKeys | null;
}

export function pastOf(accountId: string, format: ClientFormat, request: ParsedRequest, hasChoice: boolean): Past {
  const presented = format.issuing?.presented(request) ?? [];
  return { accountId, presented, conversation: hasChoice ? conversationKeys(accountId, format, request) : null };
}

/** All that is remembered of conversations. */
export class Memories {
  readonly states: StateMemory;
  readonly origins: OriginMemory;
  readonly conversations: ConversationMemory;

  constructor(memory: ConversationState) {
    this.states = new StateMemory(memory);
    this.origins = new OriginMemory(memory);
    this.conversations = new ConversationMemory(memory);
  }

  /** Who issued state that the request brings back, the latest first, and who answered its conversation last. */
  channelsOf({ accountId, presented, conversation }: Past, nowMs: number) {
    return {
      issuers: presented.length === 0 ? [] : this.origins.channelsOf(accountId, presented),
      lastChannelId: conversation === null ? null : this.conversations.channelOf(conversation, nowMs),
    };
  }

  /** Learns what other gateways remember of it, in one round trip; `null` where there is nothing to wait for. Never rejects. */
  fetch({ accountId, presented, conversation }: Past): Promise<unknown> | null {
    const origins = this.origins.fetch(accountId, presented);
    const answered = conversation === null ? null : this.conversations.fetch(conversation);
    return origins === null || answered === null ? (origins ?? answered) : Promise.all([origins, answered]);
  }
}
