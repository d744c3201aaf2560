import type { Principal } from '../../../domain/access/principal.ts';
import type { CacheControl } from '../../../domain/cache/cache.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import { quirkOf } from '../../../formats/text/quirk.ts';
import { needsToolTranslation } from '../../../formats/text/shared/tool-translation.ts';
import type { SentRequest } from '../../cache/replays.ts';
import type { Lane } from '../../call/lane.ts';
import type { Job, OpenCall } from '../../call/operation.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import type { NamedObjects } from '../../directory/object-memory.ts';
import { losesMembers } from '../../directory/relay-members.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { RequestBounds } from '../../ports/billing.ts';
import type { ConversationKeys } from './conversation-memory.ts';
import type { TextInbound } from './inbound.ts';
import type { TextPreparing, TranslatedInstead } from './prepared/text-preparing.ts';
import type { Asked } from './produced-usage.ts';
import { RelayLane, type Translating } from './relay-lane.ts';
import { PreparedLane, type PreparingLane, type TextLane } from './text-lane.ts';
import type { TextServices } from './text-services.ts';
import { withToolsFirst } from './tool-ability.ts';
import { carriesForeignState, type OutlinedRequest, Translation } from './translation.ts';
import type { Turn } from './turn.ts';

/** Everything that is known about a request when it is routed. */
export interface TextJobInput {
  readonly services: TextServices;
  readonly inbound: TextInbound;
  readonly outcome: OpenCall['outcome'];
  readonly principal: Principal;
  readonly directory: Directory;
  /** The request with the earlier turns of its conversation. */
  readonly turn: Turn;
  /**
   * The objects at providers that the request names. If there are any, `ways` has only targets at which the account may
   * name them.
   */
  readonly named: NamedObjects;
  readonly ways: Ways<TextTarget>;
  /** The channels that issued the state in this request. */
  readonly issuers: readonly string[];
  /** The keys of its conversation; `null` if only one channel could answer. */
  readonly conversation: ConversationKeys | null;
  readonly affinity: ((target: TextTarget) => number) | null;
  /** The request's cache controls; `null` for none. */
  readonly cacheControl: CacheControl | null;
  /** The request's identity, byte by byte; `null` if it is not used. */
  readonly print: SentRequest | null;
  /** Prepares the requests that follow with the same outline; `null` if they are not wanted. */
  readonly preparing: TextPreparing | null;
}

/** The base of all jobs for text requests. */
export abstract class TextJob implements Job<TextTarget, StreamRelay>, Translating {
  readonly modelId: string;
  readonly stream: boolean;
  readonly ways: Ways<TextTarget>;
  readonly affinity: ((target: TextTarget) => number) | null;
  /** Created when the first target needs it. */
  private translated: Translation | null = null;

  constructor(protected readonly input: TextJobInput) {
    const { turn, ways, affinity } = input;
    this.modelId = turn.sent.model;
    this.stream = turn.sent.stream;
    this.ways = ways;
    this.affinity = affinity;
  }

  /** If no target relays the request, its bytes are released: a long conversation then takes less memory. */
  asksNoOther(): void {
    const { turn, inbound, preparing } = this.input;
    if (preparing?.isWanted !== true && !speaksAny(this.ways.targets, inbound.format.name)) turn.releaseBytes();
  }

  candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    return withToolsFirst(targets, this.input.turn.sent.body);
  }

  abstract bounds(model: Ways<TextTarget>['model']): RequestBounds | null;

  /** Returns whether the target gets the client's own bytes (relay) or a translated request. */
  protected abstract isRelayed(target: TextTarget): boolean;

  lane(target: TextTarget, routing: RoutingFacts): Lane<StreamRelay> {
    const isRelayed = this.isRelayed(target);
    const lane = isRelayed ? this.relayLane(target, routing) : this.translatedLane(target, routing);
    const preparing = this.preparing(lane, target, isRelayed ? null : routing);
    return new PreparedLane(this.noted(lane, target), target, isRelayed, this.extrasInput, preparing);
  }

  /** Returns what prepares the requests that follow, if this lane and the job allow it. `routing` is `null` for the relay lane. */
  protected preparing(_lane: TextLane, _target: TextTarget, _routing: RoutingFacts | null): PreparingLane | null {
    return null;
  }

  /** Returns the lane, wrapped by a subclass if its answer must be remembered. */
  protected noted(lane: TextLane, _target: TextTarget): TextLane {
    return lane;
  }

  protected relayLane(target: TextTarget, routing: RoutingFacts): TextLane {
    const { inbound, turn, services } = this.input;
    const sent = turn.requestFor(target);
    const lane = new RelayLane(inbound.format, sent, target, inbound, routing, this, services.ports);
    const isReasoningRequired = quirkOf(target.encoding.quirks, 'reasoning-input')?.isRequired === true;
    return isReasoningRequired ? this.translation.remembering(lane, target) : lane;
  }

  translatedLane(target: TextTarget, routing: RoutingFacts): TextLane {
    return this.translation.lane(target, routing);
  }

  /**
   * Returns whether the request can be relayed: the target speaks the client's format and can read everything in the request. Otherwise it
   * is translated.
   */
  protected mayRelay(target: TextTarget): boolean {
    const { inbound, turn, issuers, named } = this.input;
    const { keeping } = inbound.format;
    if (target.wire.name !== inbound.format.name || named.isForeign(target)) return false;
    if (target.wire.relayOnly) return true;
    if (hasOther(issuers, target.place)) return false;
    const request = turn.requestFor(target);
    const { body, bytes } = request;
    // Requests to store an answer, which only this format can express, are never translated.
    const isKept = keeping?.wants(request) === true;
    if (isKept ? !target.stores : target.relayBreach?.(body) === true) return false;
    if (needsToolTranslation(body, target.encoding.quirks) || losesMembers(body, target.relayMembers)) return false;
    return !carriesForeignState(bytes);
  }

  protected get translation(): Translation {
    this.translated ??= this.translationOf(this.toTranslate(), this.outlined);
    return this.translated;
  }

  /** Set if only the outline of the request matters to its answer. */
  protected get outlined(): OutlinedRequest | null {
    return null;
  }

  /** Translates a request with the same outline in place of this one. Returns `null` if that is not possible at once. */
  protected translatedInstead(
    other: ParsedRequest,
    target: TextTarget,
    routing: RoutingFacts,
  ): TranslatedInstead | null {
    const translation = this.translationOf(other, null);
    const outlined = translation.outlined(target);
    if (outlined === null) return null;
    const lane = new PreparedLane(translation.lane(target, routing), target, false, this.extrasInput);
    const sent = lane.request();
    return sent instanceof Promise || sent instanceof Failure ? null : { sent, outlined };
  }

  private translationOf(parsed: ParsedRequest, outlined: OutlinedRequest | null): Translation {
    const { services, inbound, principal, turn, outcome, ways } = this.input;
    return new Translation(services.ports, services.memory, {
      format: inbound.format,
      parsed,
      outlined,
      bodyBytes: turn.bodyBytes,
      accountId: principal.account.id,
      draws: ways.model.capabilities?.output.includes('image') === true,
      client: inbound,
      whenOver: (release) => outcome.whenOver(release),
      trace: outcome.trace ?? null,
    });
  }

  /** Returns the request to translate for another format. */
  protected toTranslate(): ParsedRequest {
    return this.input.turn.whole;
  }

  protected get extrasInput() {
    const { principal, directory, ways, inbound, turn } = this.input;
    return { principal, directory, ways, clientFormat: inbound.format.name, body: turn.sent.body };
  }

  protected get asked(): Asked {
    const { inbound, turn, principal } = this.input;
    return { accountId: principal.account.id, format: inbound.format, request: turn.whole };
  }
}

function speaksAny(targets: readonly TextTarget[], format: string): boolean {
  for (const { wire } of targets) if (wire.name === format) return true;
  return false;
}

function hasOther(issuers: readonly string[], place: string): boolean {
  for (const issuer of issuers) if (issuer !== place) return true;
  return false;
}
