import type { Account } from '../../../domain/access/account.ts';
import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import type { AnswerCache } from '../../cache/answer-cache.ts';
import { type Replay, Replays } from '../../cache/replays.ts';
import type { KnownStream, WholeResponse } from '../../call/lane.ts';
import type { ResponseMemory } from '../../call/response-memory.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import { ObjectMemory } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConversationState, Sealing } from '../../ports/conversation-state.ts';
import type { Logger } from '../../ports/logger.ts';
import type { MediaFetcher } from '../../ports/media-fetcher.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import type { ObjectOriginStore } from '../../ports/object-origins.ts';
import type { ResponseKeeping, ResponseStore } from '../../ports/response-store.ts';
import type { Upstream } from '../../ports/upstream.ts';
import type { WebSearching } from '../../ports/web-search.ts';
import { ConnectionMemories } from './connection-memory.ts';
import { IssuedResponses } from './issued-responses.ts';
import { Memories } from './past.ts';
import { PreparedTexts } from './prepared/prepared-texts.ts';
import type { TurnPorts } from './turn.ts';

/** The share of the cache's memory for answers encoded for a client. */
export const REPLAYED_SHARE = 0.25;

export interface TextPorts {
  /** Memory held by answers in progress. */
  readonly answers: ResponseMemory;
  /** Answers of earlier requests. */
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly conversationState: ConversationState;
  readonly media: MediaFetcher;
  /** Files made for clients, which they read by links. */
  readonly mediaStore: MediaStore;
  readonly responses: ResponseStore;
  readonly responseQuota: ResponseKeeping;
  readonly objects: ObjectOriginStore;
  readonly sealing: Sealing;
  /** Runs searches for models that have none; absent or `null` if that is switched off. */
  readonly searching?: WebSearching | null;
  /** Makes a new id: the prefix, followed by random letters and digits. */
  readonly newId: (prefix: string) => string;
}

/** The services that all text requests share: the ports, and the memory from one turn of a conversation to the next. */
export class TextServices {
  /** The memory of conversations. */
  readonly memory: Memories;
  /** Responses kept per connection, until the connection is closed. */
  readonly connections = new ConnectionMemories();
  readonly objects: ObjectMemory;
  /** Reads responses that only the provider has stored. */
  readonly issued: IssuedResponses;
  readonly turnPorts: TurnPorts;
  /** Encoded answers of the cache. */
  readonly replays: Replays<TextReplay>;
  /** The findings of earlier requests that hold for those that follow. */
  readonly prepared = new PreparedTexts();

  constructor(
    readonly ports: TextPorts,
    memory = new Memories(ports.conversationState),
  ) {
    this.memory = memory;
    this.objects = new ObjectMemory(ports);
    this.replays = new Replays(ports.cache.settings.memoryBytes * REPLAYED_SHARE);
    const { objects } = this;
    this.issued = new IssuedResponses({ ...ports, objects });
    this.turnPorts = { ...ports, objects, issued: this.issued };
  }

  /** Returns services with the same memory of conversations over other ports, and without encoded answers. */
  over(ports: Partial<TextPorts>): TextServices {
    return new TextServices({ ...this.ports, ...ports }, this.memory);
  }
}

/** A request that the cache has answered, with its encoded answer. */
export interface TextReplay extends Replay {
  readonly modelId: string;
  readonly stream: boolean;
  /** The content type of a stream. */
  readonly contentType: string;
  readonly entry: CacheEntry;
  /** Older answers are not served. */
  readonly maxAgeMs: number;
  readonly answer: WholeResponse | KnownStream<StreamRelay>;
  readonly target: TextTarget;
  readonly routing: RoutingFacts;
  /** The request was checked against these objects, which every change replaces. */
  readonly directory: Directory;
  readonly ways: Ways<TextTarget>;
  readonly account: Account;
}
