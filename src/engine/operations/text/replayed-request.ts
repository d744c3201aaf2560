import { createHash } from 'node:crypto';
import { allowsModel } from '../../../domain/access/allow-list.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { NOTHING_BILLABLE } from '../../../domain/money/quantity.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import { CACHE_HEADER } from '../../cache/read-control.ts';
import type { SentRequest } from '../../cache/replays.ts';
import type { Lane } from '../../call/lane.ts';
import type { Asking, Job, KnownResponse, OpenCall, Streaming } from '../../call/operation.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextInbound } from './inbound.ts';
import { FinishedRelay } from './replayed-answer.ts';
import { routesFor } from './routes.ts';
import type { TextReplay, TextServices } from './text-services.ts';

/** For a longer body the comparison is not worthwhile. */
const LONGEST_BODY = 256 * 1024;
/** A longer body is remembered by its digest, to save memory. */
const SHORT_BODY = 8 * 1024;

/**
 * Returns the identity of a request: the account, the endpoint, the relevant headers and all bytes of the body. `null` if a comparison is
 * not worthwhile.
 */
export function fingerprint(
  services: TextServices,
  inbound: TextInbound,
  accountId: string,
  body: Uint8Array,
): SentRequest | null {
  if (body.length > LONGEST_BODY || !services.replays.watches(accountId)) return null;
  const { format, call } = inbound;
  const isShort = body.length <= SHORT_BODY;
  let said = `${isShort ? 'body' : 'digest'} ${format.name} ${call.purpose} ${call.stream} ${call.framing} `;
  said += delimited(call.model) + delimited(inbound.header(CACHE_HEADER));
  for (const { name } of format.relayedHeaders) said += delimited(inbound.header(name));
  return { accountId, said, body: isShort ? body : createHash('sha256').update(body).digest() };
}

/** Prefixes the length, so that different lists of texts never look alike. */
function delimited(text: string | null): string {
  return text === null ? '- ' : `${text.length}:${text}`;
}

/** Returns the earlier answer to a request; `null` if none may be served now. */
export function replayOf(services: TextServices, call: OpenCall, print: SentRequest): TextReplay | null {
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

/** A request that the cache has answered before, which is not parsed again. */
export class ReplayedRequest implements Asking<TextTarget, StreamRelay> {
  constructor(
    private readonly services: TextServices,
    private readonly inbound: TextInbound,
    private readonly call: OpenCall,
    private readonly replay: TextReplay,
  ) {}

  get modelId(): string {
    return this.replay.modelId;
  }

  route(directory: Directory): Job<TextTarget, StreamRelay> | Failure {
    const ways = this.ways(directory);
    if (ways instanceof Failure) return ways;
    this.call.outcome.names(this.replay.modelId);
    return new ReplayedJob(this.services, this.inbound, this.replay, ways);
  }

  /** Checks only the key's own models while the directory is unchanged, since the account's models are unchanged, too. */
  private ways(directory: Directory): Ways<TextTarget> | Failure {
    const { replay, call, inbound } = this;
    const { principal } = call;
    const isKnown = replay.directory === directory && allowsModel(principal.credential.models, replay.modelId);
    return isKnown ? replay.ways : routesFor(directory, principal, replay.modelId, inbound.format.name);
  }
}

class ReplayedJob implements Job<TextTarget, StreamRelay> {
  readonly modelId: string;
  readonly stream: boolean;

  constructor(
    private readonly services: TextServices,
    private readonly inbound: TextInbound,
    private readonly replay: TextReplay,
    readonly ways: Ways<TextTarget>,
  ) {
    this.modelId = replay.modelId;
    this.stream = replay.stream;
  }

  get streaming(): Streaming<StreamRelay> {
    const { replay } = this;
    const { format } = this.inbound;
    return {
      contentType: () => replay.contentType,
      ping: format.ping,
      encodeFailure: (failure, place) => format.encodeStreamFailure(failure, null, place),
      isReported: () => true,
      billableOf: (relay) => (relay instanceof FinishedRelay ? relay.billable : NOTHING_BILLABLE),
    };
  }

  replayed(): KnownResponse<TextTarget, StreamRelay> {
    const { answer, target, routing, entry } = this.replay;
    const ageMs = Math.max(0, this.services.ports.clock.nowMs() - entry.storedAtMs);
    return { answer, target, routing, hit: { entryId: entry.id, match: 'exact', ageMs } };
  }

  bounds(): null {
    return null;
  }

  lane(): Lane<StreamRelay> {
    throw new Error('a cached response needs no upstream request');
  }
}
