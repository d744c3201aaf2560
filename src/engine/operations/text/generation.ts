import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { Produced, StreamRelay } from '../../../formats/text/format.ts';
import type { CountedResponse, FailurePlace, Lane, WholeResponse } from '../../call/lane.ts';
import type { NoResponse } from '../../call/no-channel.ts';
import type { RespondingTarget, Streaming } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { RequestBounds } from '../../ports/billing.ts';
import { isOfInterest, keepAnswer, mayIssueObjects, noteObjects } from './keeping.ts';
import { isReported, usageOfStream, usageOfWhole } from './produced-usage.ts';
import { RelayLane } from './relay-lane.ts';
import { FinishedRelay } from './replayed-answer.ts';
import { BoundsOfRequest } from './request-bounds.ts';
import { SearchAnswering } from './search/search-answering.ts';
import { TextCaching } from './text-caching.ts';
import { TextJob, type TextJobInput } from './text-job.ts';
import type { PreparingLane, TextLane } from './text-lane.ts';
import { WatchedRelay } from './wrapped-relay.ts';

/** The job in which a model generates a text. */
export class Generation extends TextJob implements Streaming<StreamRelay> {
  readonly missingObject: Failure | null;
  readonly keep: ((answer: string | Uint8Array, answered: RespondingTarget<TextTarget>) => Promise<void>) | null;

  /** `null` if the cache takes no part in the request. */
  private readonly caching: TextCaching | null;
  /** `null` if the gateway runs no searches for the request. */
  private readonly searching: SearchAnswering | null;

  /** @param isPrepared whether an earlier request has shown that nothing of this one is looked up, searched or kept */
  constructor(input: TextJobInput, isPrepared = false) {
    super(input);
    this.caching = isPrepared ? null : TextCaching.of(input);
    this.searching = isPrepared ? null : SearchAnswering.of(input, () => this.extrasInput);
    this.missingObject = input.named.missing;
    this.keep =
      !isPrepared && isOfInterest(input)
        ? (answer, answered) => keepAnswer(input, typeof answer === 'string' ? answer : textOf(answer), answered)
        : null;
  }

  known() {
    return this.caching?.find() ?? null;
  }

  bounds(model: Ways<TextTarget>['model']): RequestBounds {
    const { accountId, format, request } = this.asked;
    return new BoundsOfRequest({ accountId, format, request, bodyBytes: this.input.turn.bodyBytes, model });
  }

  override candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    const inOrder = super.candidates(targets);
    return this.searching === null ? inOrder : this.searching.inOrder(inOrder);
  }

  override lane(target: TextTarget, routing: RoutingFacts): Lane<StreamRelay> {
    const searching = this.searching?.lane(target, routing, () => this.translation) ?? null;
    return searching ?? super.lane(target, routing);
  }

  /** Charges a client that left for the searches and rounds that it had caused. */
  withoutResponse(_: NoResponse, otherwise: () => Failure): Failure | Promise<Failure> {
    const failure = otherwise();
    const spent = this.searching?.spent ?? null;
    if (spent === null || failure.code !== 'client_closed_request') return failure;
    return this.input.outcome.charge(spent)?.then(() => failure) ?? failure;
  }

  protected isRelayed(target: TextTarget): boolean {
    return this.mayRelay(target);
  }

  /** Notes objects while a relayed stream passes. If the whole answer is kept, it is inspected then, so its stream is not watched. */
  protected override relayLane(target: TextTarget, routing: RoutingFacts): TextLane {
    const lane = super.relayLane(target, routing);
    const isWatched = this.stream && this.input.inbound.format.storing === undefined && mayIssueObjects(this.input);
    return isWatched ? this.watched(lane, target) : lane;
  }

  private watched(lane: TextLane, target: TextTarget): TextLane {
    return {
      request: () => lane.request(),
      answer: (bytes) => lane.answer(bytes),
      stream: () => {
        const watched = new WatchedRelay(lane.stream(), this.input.inbound.format.objects);
        this.input.outcome.whenOver(() => noteObjects(this.input, watched.issued, target));
        return watched;
      },
      streamOfWhole: (bytes) => lane.streamOfWhole(bytes),
    };
  }

  protected override noted(lane: TextLane, target: TextTarget): TextLane {
    return this.caching?.lane(lane, target) ?? lane;
  }

  /** Whether a request is prepared depends on all that the job has found: a request that anything unusual concerns is not. */
  protected override preparing(lane: TextLane, target: TextTarget, routing: RoutingFacts | null): PreparingLane | null {
    const { preparing, turn, named, ways, issuers, conversation, cacheControl, print } = this.input;
    if (preparing === null || !preparing.isWanted || (routing === null && !(lane instanceof RelayLane))) return null;
    const isObserved = this.caching !== null || this.searching !== null || this.keep !== null || print !== null;
    const isBound = issuers.length > 0 || conversation !== null || this.affinity !== null || cacheControl !== null;
    if (isObserved || isBound || this.missingObject !== null || ways.targets.length !== 1) return null;
    const { sent, whole } = turn;
    if (sent !== whole) return null;
    const translate = routing && ((other: ParsedRequest) => this.translatedInstead(other, target, routing));
    return { sends: (request) => preparing.sends({ request: whole, named, target, translate }, request) };
  }

  completed({ target }: RespondingTarget<TextTarget>): void {
    this.caching?.completed(target);
  }

  answeredBy(target: TextTarget): void {
    const { conversation, services } = this.input;
    if (conversation === null) return;
    services.memory.conversations.remember(conversation, target.place, services.ports.clock.nowMs());
  }

  async count(answer: WholeResponse): Promise<CountedResponse> {
    const { body, shown = body } = answer;
    const usage = await usageOfWhole(this.asked, shown);
    return { ...answer, body: this.input.inbound.format.withUsage(body, usage), billable: billableOf(usage) };
  }

  // ---- streams

  get streaming(): Streaming<StreamRelay> {
    return this;
  }

  contentType(): string {
    return this.input.inbound.format.streamContentType(this.input.turn.whole);
  }

  get ping(): string {
    return this.input.inbound.format.ping;
  }

  encodeFailure(failure: Failure, place: FailurePlace): string {
    return this.input.inbound.format.encodeStreamFailure(failure, this.input.turn.whole, place);
  }

  isReported(answer: StreamRelay): boolean {
    return answer instanceof FinishedRelay || isReported(answer);
  }

  billableOf(answer: StreamRelay): Billable | Promise<Billable> {
    if (answer instanceof FinishedRelay) return answer.billable;
    const { usage, produced } = answer;
    if (usage !== null && isReported(answer)) return billableOf(withShownCalls(usage, produced));
    return usageOfStream(this.asked, answer).then((estimate) => {
      const counted = withShownCalls(estimate, produced);
      answer.counted?.(counted);
      return billableOf(counted);
    });
  }
}

/** Adds the billed calls that the answer has shown, if no report has counted them, as in an answer that ends early. */
function withShownCalls(usage: Usage, { webSearches, drawn }: Produced): Usage {
  return {
    ...usage,
    ...(webSearches > 0 && usage.webSearches === undefined && { webSearches }),
    ...(drawn !== null && usage.drawn === undefined && { drawn }),
  };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
