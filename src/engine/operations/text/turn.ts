import type { Principal } from '../../../domain/access/principal.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { AnswerStoring } from '../../../formats/text/provider-state.ts';
import type { ObjectMemory } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Sealing } from '../../ports/conversation-state.ts';
import {
  MAX_STORED_RESPONSE_BYTES,
  type ResponseKeeping,
  type ResponseStore,
  type StoredResponse,
} from '../../ports/response-store.ts';
import type { WaitingClient } from '../../ports/upstream.ts';
import { type ConnectionMemory, chainOf } from './connection-memory.ts';
import { type Asker, CHAIN_LIMITS, type IssuedResponses } from './issued-responses.ts';

/** The most stored responses that one request may refer to. */
const MOST_REFERRED_RESPONSES = 200;

const EMPTY = new Uint8Array(0);

export interface TurnPorts {
  readonly responses: ResponseStore;
  readonly responseQuota: ResponseKeeping;
  readonly objects: ObjectMemory;
  readonly issued: IssuedResponses;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly sealing: Sealing;
  /** The memory of the request's connection, if answers that are not stored can be continued on it. */
  readonly connection?: ConnectionMemory;
}

/** The id under which an answer is stored, or why it is not stored. */
export type Kept = { readonly id: string } | { readonly problem: string };

/** The facts from which a turn is opened. */
export interface TurnRequest {
  readonly format: ClientFormat;
  readonly client: WaitingClient;
  readonly principal: Principal;
  readonly request: ParsedRequest;
  /** All targets that could answer it. */
  readonly targets: readonly TextTarget[];
}

/** One turn of a conversation that the gateway stores, or a request that stands alone. */
export class Turn {
  /** The size of the whole request; still valid after its bytes are released. */
  readonly bodyBytes: number;

  private constructor(
    private readonly ports: TurnPorts,
    private readonly format: ClientFormat,
    private readonly principal: Principal,
    /** The request as the client sent it. */
    readonly sent: ParsedRequest,
    /** The request with the earlier turns written out; the same object if it continues none. */
    readonly whole: ParsedRequest,
    private readonly previousId: string | null,
    /** The place whose provider has stored the earlier turns itself. */
    readonly knowingPlace: string | null,
  ) {
    this.bodyBytes = whole.bytes.length;
  }

  /** Opens the turn of a request. Waits for the store only if the request continues an earlier answer. */
  static open(ports: TurnPorts, asked: TurnRequest): Turn | Failure | Promise<Turn | Failure> {
    const { request, format } = asked;
    const { storing } = format;
    const previousId = storing?.previousId(request) ?? null;
    if (storing === undefined) return Turn.opened(ports, asked, request, null, null);
    if (previousId !== null) return Turn.continued(ports, storing, asked, previousId);
    const references = storing.references(request);
    if (references.length > 0) return Turn.referring(ports, storing, asked, references);
    return Turn.opened(ports, asked, request, null, null);
  }

  /** Opens the turn of a request in a format that stores and compacts nothing. */
  static alone(ports: TurnPorts, format: ClientFormat, principal: Principal, request: ParsedRequest): Turn {
    return new Turn(ports, format, principal, request, request, null, null);
  }

  /** Opens the turn with earlier compacted content decrypted and written out. */
  private static opened(
    ports: TurnPorts,
    { format, principal, request: sent }: TurnRequest,
    whole: ParsedRequest,
    previousId: string | null,
    knowing: string | null,
  ): Turn | Failure {
    const { compacting } = format;
    if (compacting === undefined) return new Turn(ports, format, principal, sent, whole, previousId, knowing);
    const unsealed = (sealed: string) => ports.sealing.open(principal.account.id, sealed);
    const open = (request: ParsedRequest) => compacting.opened(request, unsealed);
    const openedSent = open(sent);
    if (openedSent instanceof Failure) return openedSent;
    const openedWhole = whole === sent ? openedSent : open(whole);
    if (openedWhole instanceof Failure) return openedWhole;
    return new Turn(ports, format, principal, openedSent, openedWhole, previousId, knowing);
  }

  /**
   * Opens the turn of a request that refers to items of stored answers by their ids (the AI SDK does so by default). A
   * channel that has stored all of them gets the ids. Any other channel gets the items, from the gateway's store or
   * from the channel that issued them.
   */
  private static async referring(
    ports: TurnPorts,
    storing: AnswerStoring,
    asked: TurnRequest,
    references: readonly string[],
  ): Promise<Turn | Failure> {
    const { principal, request, targets } = asked;
    const accountId = principal.account.id;
    const origins = await ports.objects.find(accountId, references);
    const responseIds = new Set([...origins.values()].flatMap(({ responseId }) => responseId ?? []));
    if (responseIds.size > MOST_REFERRED_RESPONSES) return tooLong();
    const turns: StoredResponse[] = [];
    let bytes = 0;
    for (const id of responseIds) {
      const turn = await ports.responses.get(accountId, id);
      bytes += turn === null ? 0 : turn.inputJson.length + turn.responseJson.length;
      if (bytes > CHAIN_LIMITS.maxBytes) return tooLong();
      if (turn !== null) turns.push(turn);
    }
    let whole = storing.withReferences(request, turns);
    const keepers = new Set(references.map((id) => origins.get(id)?.place ?? null));
    const [keeper = null] = keepers.size === 1 ? keepers : [];
    const elsewhere = storing.references(whole).flatMap((id) => origins.get(id) ?? []);
    const isKnown = targets.some(({ place, stores }) => stores && place === keeper);
    if (elsewhere.length > 0 && !isKnown) {
      const ids = new Set(elsewhere.flatMap(({ responseId, place }) => (place && responseId) || []));
      const issued = await ports.issued.outputs(askerOf(asked), [...ids]);
      if (issued instanceof Failure) return issued;
      if (issued === 'too-long') return tooLong();
      whole = storing.withReferences(request, [...turns, ...issued]);
    }
    return Turn.opened(ports, asked, whole, null, keeper);
  }

  private static async continued(
    ports: TurnPorts,
    storing: AnswerStoring,
    asked: TurnRequest,
    previousId: string,
  ): Promise<Turn | Failure> {
    const { principal, request } = asked;
    const of = { accountId: principal.account.id, id: previousId };
    const chain = await chainOf(ports.responses, ports.connection, of, CHAIN_LIMITS);
    if (chain.kind === 'too-long') return tooLong();
    if (chain.kind === 'missing') {
      const issued = await ports.issued.conversation(askerOf(asked), previousId);
      if (issued instanceof Failure) return issued;
      if (issued.kind === 'missing') return previousNotFound(issued.id);
      if (issued.kind === 'too-long') return tooLong();
      const whole = storing.continueFrom(request, issued.turns);
      return Turn.opened(ports, asked, whole, previousId, issued.place);
    }
    const whole = storing.continueFrom(request, chain.responses);
    const last = chain.responses.at(-1);
    const knowing = last?.upstreamStored ? last.place : null;
    return Turn.opened(ports, asked, whole, previousId, knowing);
  }

  /** Returns whether the target has the earlier turns itself, so that it gets the request as the client sent it. */
  isKnownAt(target: TextTarget): boolean {
    return target.place === this.knowingPlace && target.wire.name === this.format.name;
  }

  requestFor(target: TextTarget): ParsedRequest {
    return this.isKnownAt(target) ? this.sent : this.whole;
  }

  /** Releases the bytes of the request. Call it only if no target will relay them. */
  releaseBytes(): void {
    for (const request of [this.sent, this.whole]) {
      request.bytes = EMPTY;
      request.scan?.forgetBytes();
    }
  }

  /**
   * Returns a ranking of the targets, lower values first: those that have stored the conversation, those that issued state in it, and the
   * one that answered it last. `null` if the request prefers none.
   */
  affinity(issuers: readonly string[], lastPlace: string | null): ((target: TextTarget) => number) | null {
    if (this.knowingPlace === null && issuers.length === 0 && lastPlace === null) return null;
    return (target) => {
      if (this.isKnownAt(target)) return -1;
      const issuer = issuers.indexOf(target.place);
      if (issuer >= 0) return issuer;
      return target.place === lastPlace ? issuers.length : issuers.length + 1;
    };
  }

  /**
   * The previous id to store, or `null` if the previous answer is not in the store: the conversation is then stored
   * whole.
   */
  private get storedPreviousId(): string | null {
    const { previousId, ports } = this;
    return previousId !== null && ports.connection?.has(previousId) ? null : previousId;
  }

  get wantsKeeping(): boolean {
    return this.wantsStoring || (this.ports.connection !== undefined && this.format.storing !== undefined);
  }

  get wantsStoring(): boolean {
    return this.format.storing?.wants(this.sent) === true;
  }

  /**
   * Stores the answer durably, before the client sees its end. An unstored answer is kept for its connection, until that is closed.
   * Resolves to `null` if nothing was stored.
   */
  async keep(answerJson: string, target: TextTarget, relayed: boolean): Promise<Kept | null> {
    const { storing } = this.format;
    const id = storing?.answerId(answerJson) ?? null;
    if (!storing || id === null) return null;
    // If the earlier turns are stored already, only the new input is stored; else the whole. A request that only refers
    // to items is stored whole too, because it does not contain them.
    const isStored = storing.wants(this.sent);
    const previousId = isStored ? this.storedPreviousId : this.previousId;
    const kept = previousId === null ? this.whole : this.sent;
    const inputJson = storing.inputItems(kept, this.ports.newId);
    if (inputJson.length + answerJson.length > MAX_STORED_RESPONSE_BYTES) return { problem: 'too-large' };
    const createdAtMs = this.ports.clock.nowMs();
    const response = {
      id,
      accountId: this.principal.account.id,
      createdAtMs,
      expiresAtMs: createdAtMs + this.ports.responseQuota.keepMs,
      previousId,
      place: target.place,
      upstreamStored: isStored && relayed && target.stores,
      inputJson,
      responseJson: answerJson,
    };
    if (!isStored) {
      this.ports.connection?.put(response);
      return null;
    }
    const outcome = await this.ports.responses.put(response, this.ports.responseQuota);
    return outcome === 'stored' ? { id } : { problem: outcome };
  }
}

function askerOf({ principal, format, client }: TurnRequest): Asker {
  return { accountId: principal.account.id, format, client };
}

function previousNotFound(id: string): Failure {
  return new Failure('response_not_found', {
    status: 400,
    publicCode: 'previous_response_not_found',
    message: `There is no response \`${id.slice(0, 100)}\` to continue. It may have been deleted, have expired, or not have been stored.`,
    param: 'previous_response_id',
    hint: 'Send the whole conversation as `input`.',
  });
}

function tooLong(): Failure {
  return new Failure('invalid_value', {
    message: 'The conversation before this response is longer than the gateway can continue by id.',
    param: 'previous_response_id',
    hint: 'Send the relevant part of the conversation as `input`.',
  });
}
