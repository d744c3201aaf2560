import type { Billable } from '../../domain/money/quantity.ts';
import type { AnswerStream } from './lane.ts';
import type { Streaming } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** Charges the usage of a stream once: before its end is sent, or afterwards if the stream ends early. */
export class StreamCharge<S extends AnswerStream> {
  private isBegun = false;
  private charging: Promise<void> | null = null;

  constructor(
    private readonly relay: S,
    private readonly streaming: Pick<Streaming<S>, 'isReported' | 'billableOf'>,
    private readonly outcome: Outcome,
  ) {}

  /** Returns the charge that the end of the answer has to wait for, so that no complete answer is sent uncharged; `null` for none. */
  beforeEnd(): Promise<void> | null {
    const { relay, streaming, outcome } = this;
    if (!streaming.isReported(relay) && !outcome.dependsOnUsage && relay.awaitsUsage !== true) return null;
    this.begin();
    return this.charging;
  }

  /** Calls `done` when the usage is known and charged, possibly synchronously. Never throws. */
  whenOver(done: () => void): void {
    this.begin();
    if (this.charging === null) done();
    else this.charging.catch((error) => this.outcome.notCharged(error)).finally(done);
  }

  private begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const { relay, outcome } = this;
    // Without any content there is no answer to charge.
    if (!relay.started && !relay.finished) return;
    outcome.servedAs(relay.served);
    const billable = this.streaming.billableOf(relay);
    const charge = (known: Billable) => outcome.charge(known);
    this.charging = billable instanceof Promise ? billable.then(charge) : (charge(billable) ?? null);
  }
}
