import { after } from '../../../domain/concurrency/after.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { relayCount } from '../../../formats/shared/stream/relay-pieces.ts';
import type { ClientFormat, StreamRelay } from '../../../formats/text/format.ts';
import type { BytesRequest, Lane, WholeResponse } from '../../call/lane.ts';
import type { NoResponse } from '../../call/no-channel.ts';
import type { KnownResponse, OpenCall, Operation } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { extrasOf } from '../text/extras.ts';
import type { TextInbound } from '../text/inbound.ts';
import { readText } from '../text/read-text.ts';
import { TextJob } from '../text/text-job.ts';
import type { TextServices } from '../text/text-services.ts';
import { type MaybeWritten, readyFor, type WrittenRequest } from '../text/written-request.ts';

const NOTHING_SERVED = { model: null, serviceTier: null };

/** The token count operation, in the client formats whose APIs have one. */
export class TokenCountOperation implements Operation<TextInbound, TextTarget, StreamRelay> {
  constructor(private readonly services: TextServices) {}

  read(inbound: TextInbound, call: OpenCall) {
    return readText(this.services, inbound, call, (input) => new TokenCount(input));
  }
}

/**
 * Asks the first target whose provider can count tokens. If none can, the tokenizer counts and the answer is marked as an estimate.
 * Counting is free. A client error that the upstream reports stays a failure, and a request that this account may not send to any target is
 * refused as its generation would be.
 */
export class TokenCount extends TextJob {
  /** No retries: the tokenizer can count instead. */
  readonly repeats = 0;
  private readonly all: TextTarget[] = [];
  private refusal: Failure | null = null;

  bounds(): null {
    return null;
  }

  /**
   * Returns the targets that can count, with the URL of their counting endpoint. Its health is separate from the model's, because one says
   * nothing about the other.
   */
  override candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    this.all.push(...targets);
    return targets.flatMap((target) => {
      const { countUrl: url, health, upstreamModel } = target;
      if (url === null) return [];
      return { ...target, url, alternatives: [], health: health.channel.model(`/count_tokens ${upstreamModel}`) };
    });
  }

  protected isRelayed(target: TextTarget): boolean {
    return this.mayRelay(target);
  }

  override lane(target: TextTarget, routing: RoutingFacts): Lane<StreamRelay> {
    const isRelayed = this.isRelayed(target);
    return {
      isRelayed,
      request: () => after(this.written(target, routing, isRelayed), (written) => this.prepared(target, written)),
      answer: (bytes) => this.answered(target, bytes, routing, isRelayed),
    };
  }

  private written(target: TextTarget, routing: RoutingFacts, isRelayed: boolean): MaybeWritten {
    if (isRelayed) return this.relayLane(target, routing).request();
    const { counting } = target.wire;
    const none = () => cannotCount(this.input.inbound.format);
    if (counting === undefined) return none();
    return this.translation.encode(target, (decoded, encoding) => counting.encodeRequest(decoded, encoding));
  }

  private prepared(
    target: TextTarget,
    written: WrittenRequest | Failure,
  ): BytesRequest | Failure | Promise<BytesRequest | Failure> {
    if (written instanceof Failure) return written;
    const refusal = this.refusalOf(target, written);
    this.refusal ??= refusal;
    // Losses are not reported, because the request is only counted, not answered.
    return refusal ?? readyFor(target, { ...written, losses: [] }, null);
  }

  /**
   * Returns why the target may not get the request, by the same rules as for its generation. The counted request is the
   * body itself or, with some wires, a member of it.
   */
  private refusalOf(target: TextTarget, written: WrittenRequest): Failure | null {
    const { value, names } = written;
    const found = extrasOf(target, written, this.extrasInput);
    if (found instanceof Failure) return found;
    const wrapper = target.wire.counting?.wrapper?.(value) ?? null;
    const wrapped = wrapper === null ? null : value[wrapper];
    if (!isRecord(wrapped)) return null;
    const duplicates = names.duplicates.filter(([first]) => first === wrapper).map(([, ...path]) => path);
    // The gateway replaces the named model by the upstream's.
    const { model: _, ...request } = wrapped;
    const inner = { ...written, value: request, names: { ...names, duplicates } };
    const within = extrasOf(target, inner, this.extrasInput);
    return within instanceof Failure ? within : null;
  }

  private answered(
    target: TextTarget,
    bytes: Uint8Array,
    routing: RoutingFacts,
    isRelayed: boolean,
  ): WholeResponse | Failure {
    const tokens = target.wire.counting?.decodeAnswer(bytes) ?? null;
    if (tokens === null) {
      return new Failure('upstream_error', {
        kind: 'garbage',
        message: 'The upstream returned no number as its token count.',
      });
    }
    const body = (isRelayed ? relayCount(bytes, routing) : null) ?? this.encoded(tokens, false, routing);
    return body instanceof Failure ? body : { body, billable: null, served: NOTHING_SERVED };
  }

  async withoutResponse(
    { failure, asked }: NoResponse,
    otherwise: () => Failure,
  ): Promise<KnownResponse<TextTarget> | Failure> {
    if (failure?.side === 'client' && failure.retry === 'never') return failure;
    if (this.refusal !== null) return this.refusal;
    const [target] = this.all;
    const request = this.translation.request();
    if (request instanceof Failure) return request;
    if (target === undefined) return otherwise();
    const tokens = await estimateTokens(this.input.principal.account.id, request);
    const routing = target.routing.withRetries(asked);
    const body = this.encoded(tokens, true, routing);
    if (body instanceof Failure) return body;
    return { answer: { body, billable: null, served: NOTHING_SERVED }, target, routing };
  }

  private encoded(tokens: number, isEstimate: boolean, routing: RoutingFacts): string | Failure {
    const { format } = this.input.inbound;
    const patch = { publicModel: this.modelId, routing };
    return format.encodeTokenCount?.(tokens, isEstimate, patch) ?? cannotCount(format);
  }
}

function cannotCount(format: ClientFormat): Failure {
  return new Failure('internal_error', {
    message: `The format ${format.name} has no token count.`,
    retry: 'other-target',
  });
}
