import type { Account } from '../../../domain/access/account.ts';
import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { StreamRelay } from '../../../formats/format.ts';
import type { Replay } from '../../cache/replays.ts';
import type { KnownStream, LaneAnswer } from '../../call/lane.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';

/** A request that the cache has answered, and the answer as it was written then. */
export interface TextReplay extends Replay {
  readonly modelId: string;
  readonly stream: boolean;
  /** Of a stream. */
  readonly contentType: string;
  readonly entry: CacheEntry;
  /** No older answer is given. */
  readonly maxAgeMs: number;
  readonly answer: LaneAnswer | KnownStream<StreamRelay>;
  readonly target: TextTarget;
  readonly routing: RoutingFacts;
  /** What the request was checked against. Any change makes new objects. */
  readonly directory: Directory;
  readonly ways: Ways<TextTarget>;
  readonly account: Account;
}
