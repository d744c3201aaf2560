import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, StreamRelay } from '../../../formats/format.ts';
import { isRecord } from '../../../formats/shared/record.ts';
import { relayCount } from '../../../formats/shared/relay-pieces.ts';
import type { Lane, LaneAnswer, LaneRequest } from '../../call/lane.ts';
import type { NoAnswer } from '../../call/no-channel.ts';
import type { KnownAnswer, OpenCall, Operation } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { extrasOf } from '../text/extras.ts';
import type { TextInbound } from '../text/inbound.ts';
import { TextJob } from '../text/text-job.ts';
import { TextRequest } from '../text/text-request.ts';
import type { TextServices } from '../text/text-services.ts';
import { type MaybeWritten, readyFor, type WrittenRequest } from '../text/written-request.ts';

const NOTHING_SERVED = { model: null, serviceTier: null };

/** The tokens of a prompt, in the formats whose APIs count them. */
export class TokenCountOperation implements Operation<TextInbound, TextTarget, StreamRelay> {
  constructor(private readonly services: TextServices) {}

  read(inbound: TextInbound, call: OpenCall) {
    return TextRequest.read(this.services, inbound, call, (input) => new TokenCount(input));
  }
}

/**
 * Counted by the first target whose provider can, else by the tokenizer and marked as an estimate. It costs nothing. What the
 * upstream calls the client's own mistake stays one, and what no target may get for this account is refused as its
 * generation would be.
 */
export class TokenCount extends TextJob {
  /** There is the tokenizer, so nobody waits for the same channel again. */
  readonly repeats = 0;
  private readonly all: TextTarget[] = [];
  private refusal: Failure | null = null;

  bounds(): null {
    return null;
  }

  /** Those that count, at their own address for it; how that one does says nothing of the model's health. */
  candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
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
      request: () => {
        const written = this.written(target, routing, isRelayed);
        return written instanceof Promise
          ? written.then((later) => this.prepared(target, later))
          : this.prepared(target, written);
      },
      answer: (bytes) => this.answered(target, bytes, routing, isRelayed),
    };
  }

  private written(target: TextTarget, routing: RoutingFacts, isRelayed: boolean): MaybeWritten {
    if (isRelayed) return this.relayLane(target, routing, () => this.translation.lane(target, routing)).request();
    const { counting } = target.wire;
    const none = () => cannotCount(this.input.inbound.format);
    if (counting === undefined) return none();
    return this.translation.encode(target, (decoded, encoding) => counting.encodeRequest(decoded, encoding));
  }

  private prepared(
    target: TextTarget,
    written: WrittenRequest | Failure,
  ): LaneRequest | Failure | Promise<LaneRequest> {
    if (written instanceof Failure) return written;
    const refusal = this.refusalOf(target, written);
    this.refusal ??= refusal;
    // Nothing is lost of a request that nobody answers.
    return refusal ?? readyFor(target, { ...written, losses: [] }, null);
  }

  /** Why the target may not get it, as its generation would be refused; looks at the request that is counted, which the body may be or hold. */
  private refusalOf(target: TextTarget, written: WrittenRequest): Failure | null {
    const { value, names } = written;
    const found = extrasOf(target, written, this.extrasInput);
    if (found instanceof Failure) return found;
    const wrapper = target.wire.counting?.wrapper?.(value) ?? null;
    const wrapped = wrapper === null ? null : value[wrapper];
    if (!isRecord(wrapped)) return null;
    const duplicates = names.duplicates.filter(([first]) => first === wrapper).map(([, ...path]) => path);
    // The gateway writes the upstream's model over the one that it names.
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
  ): LaneAnswer | Failure {
    const tokens = target.wire.counting?.decodeAnswer(bytes) ?? null;
    if (tokens === null) {
      return new Failure('upstream_error', {
        kind: 'garbage',
        message: 'The upstream answered a count without a number.',
      });
    }
    const body = (isRelayed ? relayCount(bytes, routing) : null) ?? this.encoded(tokens, false, routing);
    return body instanceof Failure ? body : { body, billable: null, served: NOTHING_SERVED };
  }

  async withoutAnswer({ failure }: NoAnswer, otherwise: () => Failure): Promise<KnownAnswer<TextTarget> | Failure> {
    if (failure?.side === 'client' && failure.retry === 'never') return failure;
    if (this.refusal !== null) return this.refusal;
    const [target] = this.all;
    const request = this.translation.request();
    if (request instanceof Failure) return request;
    if (target === undefined) return otherwise();
    const tokens = await estimateTokens(this.input.principal.account.id, request);
    const { routing } = target;
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
