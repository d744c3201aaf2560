import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import { type Billable, NOTHING_BILLABLE } from '../../../domain/money/quantity.ts';
import type { Produced, StreamRelay } from '../../../formats/format.ts';

const EMPTY = new Uint8Array(0);
const NOTHING: Produced = {
  ...{ bytes: 0, isPastReport: false, webSearches: 0, drawn: null },
  sample: () => ({ text: '', bytes: 0 }),
};

/** The stream of a cached answer, already completely encoded. It holds no other resources, and can be reused. */
export class FinishedRelay implements StreamRelay {
  readonly failure = null;
  readonly finished = true;
  readonly started = true;
  readonly produced = NOTHING;

  constructor(
    readonly usage: Usage | null,
    readonly served: ServedAs,
    readonly answerJson: string | null,
  ) {}

  /** The usage at the time when it was made. */
  get billable(): Billable {
    return this.usage === null ? NOTHING_BILLABLE : billableOf(this.usage);
  }

  push(): Uint8Array {
    return EMPTY;
  }

  end(): Uint8Array {
    return EMPTY;
  }
}
