import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { Admission, RequestLimits } from '../../ports/admission.ts';
import type { AnsweredBy, BillableRequest, Billing, Extras, Reservation } from '../../ports/billing.ts';

/** Limits that admit everybody until told otherwise, and know who has ended. */
export class FakeLimits implements RequestLimits {
  refusal: Failure | null = null;
  /** The tokens of the requests that have ended, in order. */
  readonly ended: (number | null)[] = [];

  constructor(private readonly steps: string[] = []) {}

  admit(): Admission {
    this.steps.push('admit');
    const end = (tokens: number | null) => {
      this.ended.push(tokens);
    };
    return { headers: { 'x-ratelimit-limit': '10' }, limits: null, refusal: this.refusal, end };
  }
}

/** What was put aside for one request, and what has become of it. */
export class FakeReservation implements Reservation {
  readonly dependsOnUsage = true;
  readonly settled: { readonly usage: Usage; readonly answeredBy: AnsweredBy }[] = [];
  releases = 0;

  constructor(
    private readonly cost: FakeBilling['cost'],
    private readonly steps: string[] = [],
  ) {}

  withExtras(_extras: Extras | null): null {
    return null;
  }

  settle(usage: Usage, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null> {
    this.steps.push('charge');
    this.settled.push({ usage, answeredBy });
    return this.cost();
  }

  release(): void {
    this.steps.push('release');
    this.releases++;
  }
}

/** Puts something aside for every request until told otherwise. */
export class FakeBilling implements Billing {
  refusal: Failure | null = null;
  /** What a request comes to; in time, or not at all. */
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

  /** Whether everything that was put aside was settled or given back, and once. */
  get isEven(): boolean {
    return this.reservations.every(({ settled, releases }) => settled.length + releases === 1);
  }
}
