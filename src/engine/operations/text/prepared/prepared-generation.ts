import type { RoutingFacts } from '../../../../domain/exchange/routing-info.ts';
import type { StreamRelay } from '../../../../formats/text/format.ts';
import type { BytesRequest, Lane } from '../../../call/lane.ts';
import type { Ways } from '../../../directory/directory.ts';
import type { TextTarget } from '../../../directory/target.ts';
import type { RequestBounds } from '../../../ports/billing.ts';
import { Generation } from '../generation.ts';
import { RelayLane } from '../relay-lane.ts';
import { BoundsOfRequest } from '../request-bounds.ts';
import type { TextJobInput } from '../text-job.ts';
import { AnsweringLane, type TextLane } from '../text-lane.ts';
import type { OutlinedRequest } from '../translation.ts';
import { PreparedRequest } from './prepared-request.ts';
import type { PreparedText } from './prepared-texts.ts';

/** A generation whose lane was found by the general path for an earlier request with the same outline. */
export class PreparedGeneration extends Generation {
  constructor(
    input: TextJobInput,
    private readonly prepared: PreparedText,
  ) {
    super(input, true);
  }

  /** The bytes are short, and stay for the template and whoever reads the body. */
  override asksNoOther(): void {}

  override candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    return targets;
  }

  override bounds(model: Ways<TextTarget>['model']): RequestBounds {
    const { accountId, format, request } = this.asked;
    const { bodyBytes } = this.input.turn;
    const { weight, payloadBytes, output } = this.prepared;
    const known = { weight: { ...weight, textBytes: bodyBytes - payloadBytes }, output };
    return new BoundsOfRequest({ accountId, format, request, bodyBytes, model }, known);
  }

  override lane(target: TextTarget, routing: RoutingFacts): Lane<StreamRelay> {
    if (target !== this.prepared.target) return super.lane(target, routing);
    return new OutlinedLane(this.answering(target, routing), target, this.prepared, this.input);
  }

  protected override get outlined(): OutlinedRequest | null {
    return this.prepared.translated;
  }

  private answering(target: TextTarget, routing: RoutingFacts): TextLane {
    if (this.prepared.translated !== null) return this.translatedLane(target, routing);
    const { inbound, turn, services } = this.input;
    return new RelayLane(inbound.format, turn.whole, target, inbound, routing, this, services.ports);
  }
}

/** A lane that fills the request's texts into what was sent for an earlier request. */
class OutlinedLane extends AnsweringLane {
  constructor(
    lane: TextLane,
    target: TextTarget,
    private readonly prepared: PreparedText,
    private readonly input: TextJobInput,
  ) {
    super(lane, target, prepared.translated === null);
  }

  override request(): BytesRequest {
    const { template, headers, losses } = this.prepared;
    const { whole } = this.input.turn;
    if (!(whole instanceof PreparedRequest)) throw new Error('only a prepared request has an outline');
    return { body: template.filled(whole.texts), headers, losses, extras: null };
  }
}
