import { Failure } from '../../../domain/failure/failure.ts';
import { scaledSheet } from '../../../domain/money/scaled-prices.ts';
import type { ProviderBatches } from '../../../providers/shared/batch-rules.ts';
import type { BatchableRequest, LineRelay } from '../../call/line-relay.ts';
import type { Target } from '../../directory/target.ts';
import { textOfVerdicts } from '../../guards/known-verdicts.ts';
import type { BillableRequest } from '../../ports/billing.ts';
import { bodyForLine, lineRequestOf } from './line-content.ts';
import { holdIdOf, type RelayPorts } from './relay-ports.ts';

/** The part of a relayed batch's owner that takes lines. */
export interface LineTaker {
  /** Whether lines are still taken: the batch is neither lost nor ending. */
  readonly isOpen: boolean;
  /**
   * Adds a line to a batch for this upstream key, path and model. Nothing is submitted before `kept` or `undo` was called. `null` if the
   * line cannot be added.
   */
  add(line: CollectedLine): Promise<AddedLine | null>;
}

export interface AddedLine {
  /** Called when the money for the line is held. */
  kept(): void;
  undo(): Promise<void>;
}

export interface CollectedLine {
  readonly number: number;
  readonly requestId: string;
  readonly modelId: string;
  readonly place: string;
  readonly endpoint: string;
  readonly model: string;
  readonly body: Uint8Array;
  /** The verdicts of guards' checks on the request, as text. */
  readonly verdicts: string | null;
  /** The provider's API. */
  readonly batches: ProviderBatches;
}

export interface CollectingFacts {
  readonly accountId: string;
  readonly number: number;
  readonly requestId: string;
  /** When the hold should have ended, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A line that is handed to a batch of its provider if its target's channel wants that. */
export class CollectingLine implements LineRelay {
  readonly given = null;
  isTaken = false;
  private request: { readonly billable: BillableRequest; readonly percent: number } | null = null;

  constructor(
    private readonly ports: Pick<RelayPorts, 'billing' | 'channelAt'>,
    private readonly taker: LineTaker,
    private readonly facts: CollectingFacts,
  ) {}

  wants({ channel, place }: Target): boolean {
    if (!channel.relaysBatches || !this.taker.isOpen) return false;
    return this.ports.channelAt(place, this.facts.accountId)?.batches !== undefined;
  }

  reserving(billable: BillableRequest, percent: number): void {
    this.request = { billable, percent };
  }

  async take(request: BatchableRequest, release: () => void): Promise<Failure | null> {
    const { facts, taker, ports } = this;
    const { target } = request;
    const { requestId, number, accountId } = facts;
    const { batches, channel } = ports.channelAt(target.place, accountId) ?? {};
    const line = batches === undefined ? null : lineRequestOf(request, batches);
    if (line === null || batches === undefined || channel === undefined) return null;
    const { place, upstreamModel: model, publicModel: modelId } = target;
    const body = bodyForLine(line.body, batches, { model, settings: channel.settings });
    const { endpoint } = line;
    const verdicts = textOfVerdicts(request.verdicts);
    const added = await taker.add({ number, requestId, modelId, place, model, endpoint, body, verdicts, batches });
    if (added === null) return null;
    release();
    const refusal = await this.held(ports.billing).catch(async (error: unknown) => {
      await added.undo();
      throw error;
    });
    if (refusal !== null) {
      await added.undo();
      return refusal;
    }
    added.kept();
    this.isTaken = true;
    return new Failure('client_closed_request', { message: 'The line was handed to a batch of its provider.' });
  }

  /** Holds the most that the line may cost. Resolves to why it cannot. */
  private async held(billing: RelayPorts['billing']): Promise<Failure | null> {
    if (this.request === null) return null;
    const { billable, percent } = this.request;
    const prices = billable.prices === null ? null : scaledSheet(billable.prices, percent);
    const requestId = holdIdOf(this.facts.requestId);
    const { journal: _journal, ...held } = billable;
    const holding = await billing.hold({ ...held, requestId, prices }, this.facts.expiresAtMs);
    return holding instanceof Failure ? holding : null;
  }

  reached(): void {}
}
