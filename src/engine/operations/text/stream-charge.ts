import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import type { StreamRelay } from '../../../formats/format.ts';
import type { Outcome } from '../../call/outcome.ts';
import { type Asked, isReported, usageOfStream } from './produced-usage.ts';

/** What a stream has come to, charged once: before its end goes out, or, where it ends early, after that. */
export class StreamCharge {
  private isBegun = false;
  private charging: Promise<void> | null = null;

  constructor(
    private readonly relay: StreamRelay,
    private readonly asked: Asked,
    private readonly outcome: Outcome,
  ) {}

  /** What the end of the answer has to wait for, so that nobody has a whole answer that was not charged; `null` for nothing. */
  beforeEnd(): Promise<void> | null {
    if (!isReported(this.relay) && !this.outcome.dependsOnUsage) return null;
    this.begin();
    return this.charging;
  }

  /** Calls `done` when all is known and charged, which may be at once. Never throws. */
  whenOver(done: () => void): void {
    this.begin();
    if (this.charging === null) done();
    else this.charging.catch((error) => this.outcome.notCharged(error)).finally(done);
  }

  private begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const { relay, outcome } = this;
    // What stands before an answer is none of it.
    if (!relay.started && !relay.finished) return;
    outcome.served = relay.served;
    const shown = relay.produced.webSearches;
    const charge = (usage: Usage) => outcome.charge(billableOf(withShownSearches(usage, shown)));
    if (relay.usage !== null && isReported(relay)) this.charging = charge(relay.usage) ?? null;
    else this.charging = usageOfStream(this.asked, relay).then(charge);
  }
}

/** Where nothing has counted the searches, as in an answer that ends early, those that it has shown count. */
function withShownSearches(usage: Usage, shown: number): Usage {
  return shown === 0 || usage.webSearches !== undefined ? usage : { ...usage, webSearches: shown };
}
