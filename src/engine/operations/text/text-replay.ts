import type { Account } from '../../../domain/access/account.ts';
import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { StreamRelay } from '../../../formats/format.ts';
import type { Replay } from '../../cache/replays.ts';
import type { KnownStream, LaneAnswer } from '../../call/lane.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';

/** A request that the cache has answered, with its encoded answer. */
export interface TextReplay extends Replay {
  readonly modelId: string;
  readonly stream: boolean;
  /** The content type of a stream. */
  readonly contentType: string;
  readonly entry: CacheEntry;
  /** Older answers are not served. */
  readonly maxAgeMs: number;
  readonly answer: LaneAnswer | KnownStream<StreamRelay>;
  readonly target: TextTarget;
  readonly routing: RoutingFacts;
  /** The request was checked against these objects, which every change replaces. */
  readonly directory: Directory;
  readonly ways: Ways<TextTarget>;
  readonly account: Account;
}
