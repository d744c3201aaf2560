import type { ConversationState } from '../../ports/conversation-state.ts';
import {
  type AskedConversation,
  type ConversationKeys,
  ConversationMemory,
  conversationKeys,
} from './conversation-memory.ts';
import { OriginMemory } from './origin-memory.ts';
import { StateMemory } from './state-memory.ts';

/** The facts of a request that identify the channels of its conversation. */
export interface Past {
  readonly accountId: string;
  /** The keys of the state that the request contains, in its own format. */
  readonly presented: readonly string[];
  /** The keys of its conversation; `null` if there is no choice of channels, because nothing has to be looked up then. */
  readonly conversation: ConversationKeys | null;
}

/** @param hasChoice whether several channels could answer */
export function pastOf(asked: AskedConversation, hasChoice: boolean): Past {
  const { accountId, format, request } = asked;
  const presented = format.issuing?.presented(request) ?? [];
  return { accountId, presented, conversation: hasChoice ? conversationKeys(asked) : null };
}

/** All memories of conversations. */
export class Memories {
  readonly states: StateMemory;
  readonly origins: OriginMemory;
  readonly conversations: ConversationMemory;

  constructor(memory: ConversationState) {
    this.states = new StateMemory(memory);
    this.origins = new OriginMemory(memory);
    this.conversations = new ConversationMemory(memory);
  }

  /** Returns the channels that issued the state in the request, latest first, and the channel that answered the conversation last. */
  channelsOf({ accountId, presented, conversation }: Past, nowMs: number) {
    return {
      issuers: presented.length === 0 ? [] : this.origins.channelsOf(accountId, presented),
      lastPlace: conversation === null ? null : this.conversations.channelOf(conversation, nowMs),
    };
  }

  /** Loads the other gateways' memory of the conversation, in one round trip. `null` if there is nothing to wait for. Never rejects. */
  fetch({ accountId, presented, conversation }: Past): Promise<unknown> | null {
    const origins = this.origins.fetch(accountId, presented);
    const answered = conversation === null ? null : this.conversations.fetch(conversation);
    return origins === null || answered === null ? (origins ?? answered) : Promise.all([origins, answered]);
  }
}
