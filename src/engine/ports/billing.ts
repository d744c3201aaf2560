import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { Principal } from '../shared/directory.ts';

/** What the money of a request depends on before it is sent. */
export interface BillableRequest {
  readonly requestId: string;
  readonly principal: Principal;
  readonly modelId: string;
  /** `null` where no price is known. */
  readonly prices: PriceSheet | null;
  /** Whether a platform's channel may answer it, and not only the account's own. */
  readonly mayUsePlatform: boolean;
  /** Whether a channel of the account's own may answer it. */
  readonly mayUseOwn: boolean;
  /** The most tokens that its prompt may come to; asked only where money is limited. */
  readonly promptTokens: () => number | Promise<number>;
  /** The request's own bound on its output, over all choices; asked as above. */
  readonly output: () => { readonly tokens: number | null; readonly choices: number };
}

/** What was put aside for one request. One of its methods is called, once. */
export interface Reservation {
  /** Whether what it costs has to be known by its tokens. */
  readonly dependsOnUsage: boolean;
  /**
   * Charges what the request has come to, and frees the rest. Resolves when the charge is durable, to the amount; to `null`
   * where the price is not known. Does not wait where there is nothing to charge.
   */
  settle(usage: Usage, isPrivateChannel: boolean): bigint | null | Promise<bigint | null>;
  /** The request has cost nothing. */
  release(): void;
}

/** Money before and after a request (docs/billing.md). */
export interface Billing {
  /** Puts aside what the request may cost, where money is limited; or says that there is not enough (402). */
  reserve(request: BillableRequest): Reservation | Failure | Promise<Reservation | Failure>;
}
