import type { Failure } from '../../../domain/failure/failure.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { Admission, RequestLimits } from '../../ports/admission.ts';
import type { AnsweredBy, BillableRequest, Billing, Reservation } from '../../ports/billing.ts';

/** Limits that admit every request unless a test says otherwise, and that record which requests have ended. */
export class FakeLimits implements RequestLimits {
  refusal: Failure | null = null;
  /** The usage of the ended requests, in order. */
  readonly ended: (Billable | null)[] = [];

  constructor(private readonly steps: string[] = []) {}

  admit(): Admission {
    this.steps.push('admit');
    const end = (billable: Billable | null) => {
      this.ended.push(billable);
    };
    return { headers: { 'x-ratelimit-limit': '10' }, limits: null, refusal: this.refusal, end };
  }
}

/** The reservation of one request; records how it ended. */
export class FakeReservation implements Reservation {
  readonly dependsOnUsage = true;
  readonly isPriced = true;
  readonly applied = null;
  readonly settled: { readonly billable: Billable; readonly answeredBy: AnsweredBy }[] = [];
  releases = 0;
  /** The response to a request for extras: accepted unless a test sets another. */
  withExtras: Reservation['withExtras'] = () => null;

  constructor(
    private readonly cost: FakeBilling['cost'],
    private readonly steps: string[] = [],
  ) {}

  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null> {
    this.steps.push('charge');
    this.settled.push({ billable, answeredBy });
    return this.cost();
  }

  costMember(chargedNanoUsd: bigint): string {
    return `,"cost":{"total_usd":"${formatNanoUsd(chargedNanoUsd)}"}`;
  }

  release(): void {
    this.steps.push('release');
    this.releases++;
  }
}

/** Reserves for every request unless a test says otherwise. */
export class FakeBilling implements Billing {
  refusal: Failure | null = null;
  /** The cost of a request; may come late or be a rejection. */
  cost: () => bigint | null | Promise<bigint | null> = () => 42n;
  readonly requests: BillableRequest[] = [];
  readonly reservations: FakeReservation[] = [];

  constructor(private readonly steps: string[] = []) {}

  reserve(request: BillableRequest): Reservation | Failure {
    this.steps.push('reserve');
    this.requests.push(request);
    if (this.refusal !== null) return this.refusal;
    const reservation = new FakeReservation(() => this.cost(), this.steps);
    this.reservations.push(reservation);
    return reservation;
  }

  promised(request: BillableRequest): Reservation {
    this.requests.push(request);
    const reservation = new FakeReservation(() => this.cost(), this.steps);
    this.reservations.push(reservation);
    return reservation;
  }

  /** Whether every reservation was settled or released exactly once. */
  get isEven(): boolean {
    return this.reservations.every(({ settled, releases }) => settled.length + releases === 1);
  }
}
