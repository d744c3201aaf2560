import { createHash } from 'node:crypto';
import { Failure } from '../../../domain/failure/failure.ts';
import { NOTHING_BILLABLE } from '../../../domain/money/quantity.ts';
import type { StreamRelay } from '../../../formats/format.ts';
import { CACHE_HEADER } from '../../cache/read-control.ts';
import type { Lane } from '../../call/lane.ts';
import type { Asking, Job, KnownAnswer, OpenCall, Streaming } from '../../call/operation.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';
import { FinishedRelay } from './finished-relay.ts';
import type { TextInbound } from './inbound.ts';
import { routesFor } from './routes.ts';
import type { TextReplay } from './text-replay.ts';
import type { TextServices } from './text-services.ts';

/** A longer request takes longer to read twice than it is worth. */
const LONGEST_BODY = 256 * 1024;

/**
 * What the same request has again: the account, the endpoint, the headers that count and all bytes of the body. `null` where that is not
 * worth its time.
 */
export function fingerprint(
  services: TextServices,
  inbound: TextInbound,
  accountId: string,
  body: Uint8Array,
): string | null {
  if (body.length > LONGEST_BODY || !services.replays.watches(accountId)) return null;
  const { format, call } = inbound;
  const headers = format.relayedHeaders.map(({ name }) => inbound.header(name));
  const said = [
    accountId,
    format.name,
    call.purpose,
    call.model,
    call.stream,
    call.framing,
    inbound.header(CACHE_HEADER),
  ];
  return JSON.stringify([...said, ...headers]) + createHash('sha256').update(body).digest('base64url');
}

/** The answer to a request that has come before; `null` if there is none that may be given now. */
export function replayOf(services: TextServices, call: OpenCall, print: string): TextReplay | null {
  const replay = services.replays.get(print);
  if (replay === undefined) return null;
  const { cache, clock, directory } = services.ports;
  const { key, id, storedAtMs } = replay.entry;
  const entry = cache.ports.store.find(key);
  const isThere = entry !== null && 'id' in entry && entry.id === id;
  const isYoung = clock.nowMs() - storedAtMs <= replay.maxAgeMs;
  const isAllowed = replay.directory === directory() && replay.account === call.principal.account;
  if (isThere && isYoung && isAllowed) return replay;
  services.replays.delete(print);
  return null;
}

/** A request that the cache has answered before: it is not read again. */
export class ReplayedRequest implements Asking<TextTarget, StreamRelay> {
  constructor(
    private readonly services: TextServices,
    private readonly inbound: TextInbound,
    private readonly call: OpenCall,
    private readonly replay: TextReplay,
  ) {}

  route(directory: Directory): Job<TextTarget, StreamRelay> | Failure {
    const { replay, call, inbound, services } = this;
    // Another key of the account may not use all models.
    const ways = routesFor(directory, call.principal, replay.modelId, inbound.format.name);
    if (ways instanceof Failure) return ways;
    call.outcome.names(replay.modelId);
    return new ReplayedJob(services, inbound, replay, ways);
  }
}

class ReplayedJob implements Job<TextTarget, StreamRelay> {
  readonly modelId: string;
  readonly stream: boolean;
  readonly streaming: Streaming<StreamRelay>;

  constructor(
    private readonly services: TextServices,
    { format }: TextInbound,
    private readonly replay: TextReplay,
    readonly ways: Ways<TextTarget>,
  ) {
    this.modelId = replay.modelId;
    this.stream = replay.stream;
    this.streaming = {
      contentType: () => replay.contentType,
      ping: format.ping,
      encodeFailure: (failure, place) => format.encodeStreamFailure(failure, null, place),
      isReported: () => true,
      billableOf: (relay) => (relay instanceof FinishedRelay ? relay.billable : NOTHING_BILLABLE),
    };
  }

  known(): KnownAnswer<TextTarget, StreamRelay> {
    const { answer, target, routing, entry } = this.replay;
    const ageMs = Math.max(0, this.services.ports.clock.nowMs() - entry.storedAtMs);
    return { answer, target, routing, hit: { entryId: entry.id, match: 'exact', ageMs } };
  }

  bounds(): null {
    return null;
  }

  lane(): Lane<StreamRelay> {
    throw new Error('an answer from the cache is not asked for upstream');
  }
}
