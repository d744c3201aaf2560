import type { Principal } from '../../../domain/access/principal.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerStoring, ClientFormat, ParsedRequest } from '../../../formats/format.ts';
import type { ObjectMemory } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  MAX_STORED_RESPONSE_BYTES,
  type ResponseQuota,
  type ResponseStore,
  type StoredResponse,
} from '../../ports/response-store.ts';
import type { Sealing } from '../../ports/sealing.ts';
import type { WaitingClient } from '../../ports/upstream.ts';
import { type ConnectionMemory, chainOf } from './connection-memory.ts';
import { type Asker, CHAIN_LIMITS, type IssuedResponses } from './issued-responses.ts';

/** How long an answer can be continued and read; OpenAI's own 30 days ("Conversation state"). */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** From which the items of one request may come. */
const MOST_REFERRED_RESPONSES = 200;

const EMPTY = new Uint8Array(0);

export interface TurnPorts {
  readonly responses: ResponseStore;
  readonly responseQuota: ResponseQuota;
  readonly objects: ObjectMemory;
  readonly issued: IssuedResponses;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly sealing: Sealing;
  /** That of the connection on which the request came, where answers that are not to be stored can be continued on it. */
  readonly connection?: ConnectionMemory;
}

/** Under which id an answer is kept, or why it is not. */
export type Kept = { readonly id: string } | { readonly problem: string };

/** What is known of a request when its turn is opened. */
export interface TurnRequest {
  readonly format: ClientFormat;
  readonly client: WaitingClient;
  readonly principal: Principal;
  readonly request: ParsedRequest;
  /** All that could answer it. */
  readonly targets: readonly TextTarget[];
}

/** One turn of a conversation that the gateway keeps, or a request that stands alone. */
export class Turn {
  /** Of the whole request, whether its bytes are still there or not. */
  readonly bodyBytes: number;

  private constructor(
    private readonly ports: TurnPorts,
    private readonly format: ClientFormat,
    private readonly principal: Principal,
    /** As the client sent it. */
    readonly sent: ParsedRequest,
    /** With the earlier turns written out; the same object where there are none. */
    readonly whole: ParsedRequest,
    private readonly previousId: string | null,
    /** The channel that knows the earlier turns itself. */
    readonly knowingChannelId: string | null,
  ) {
    this.bodyBytes = whole.bytes.length;
  }

  /** Waits for the store only where the request goes on from an earlier answer. */
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

  /** With what was compacted earlier written out. */
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
   * Items of kept answers are pointed to by their ids (the AI SDK does so by default). The channel that keeps them all gets the
   * ids; any other gets the items, which the gateway keeps too, or asks the channel for that gave them.
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
    const keepers = new Set(references.map((id) => origins.get(id)?.channelId ?? null));
    const [keeper = null] = keepers.size === 1 ? keepers : [];
    const elsewhere = storing.references(whole).flatMap((id) => origins.get(id) ?? []);
    const isKnown = targets.some(({ channel, stores }) => stores && channel.id === keeper);
    if (elsewhere.length > 0 && !isKnown) {
      const ids = new Set(elsewhere.flatMap(({ responseId, channelId }) => (channelId && responseId) || []));
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
      return Turn.opened(ports, asked, whole, previousId, issued.channelId);
    }
    const whole = storing.continueFrom(request, chain.responses);
    const last = chain.responses.at(-1);
    const knowing = last?.upstreamStored ? last.channelId : null;
    return Turn.opened(ports, asked, whole, previousId, knowing);
  }

  /** A channel that knows the earlier turns itself gets the request as the client sent it. */
  isKnownAt(target: TextTarget): boolean {
    return target.channel.id === this.knowingChannelId && target.wire.name === this.format.name;
  }

  requestFor(target: TextTarget): ParsedRequest {
    return this.isKnownAt(target) ? this.sent : this.whole;
  }

  /** Nobody will relay it. */
  releaseBytes(): void {
    for (const request of [this.sent, this.whole]) {
      request.bytes = EMPTY;
      request.scan?.forgetBytes();
    }
  }

  /**
   * Whom to ask first, lower being sooner: those that know the conversation, those that issued state in it, and the one that
   * answered it last. `null` where it is all the same.
   */
  affinity(issuers: readonly string[], lastChannelId: string | null): ((target: TextTarget) => number) | null {
    if (this.knowingChannelId === null && issuers.length === 0 && lastChannelId === null) return null;
    return (target) => {
      if (this.isKnownAt(target)) return -1;
      const issuer = issuers.indexOf(target.channel.id);
      if (issuer >= 0) return issuer;
      return target.channel.id === lastChannelId ? issuers.length : issuers.length + 1;
    };
  }

  /** What goes on from an answer that is not in the store is stored whole. */
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
   * Keeps the answer, durably: only then may the client see its end; on a connection, until that is closed, where it is not to be
   * stored. `null` where the store has it not.
   */
  async keep(answerJson: string, target: TextTarget, relayed: boolean): Promise<Kept | null> {
    const { storing } = this.format;
    const id = storing?.answerId(answerJson) ?? null;
    if (!storing || id === null) return null;
    // Of a turn that goes on from another the earlier ones are kept already; what only points to items would not say them.
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
      expiresAtMs: createdAtMs + RETENTION_MS,
      previousId,
      channelId: target.channel.id,
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
    message: 'The conversation before this response is longer than the gateway continues by id.',
    param: 'previous_response_id',
    hint: 'Send what matters of the conversation as `input`.',
  });
}
