import { ERROR_CODES, type ErrorCode, type FailureSide, type RetryVerdict } from './error-codes.ts';

/** A model that the client could use instead, as listed in the contract's `alternatives`. */
export interface Alternative {
  readonly id: string;
  readonly status: string;
  readonly tags: readonly string[];
}

export interface FailureDetails {
  /** One sentence for a human reader: what is wrong and what to do next. Never contains a secret. */
  readonly message: string;
  /** The path of the field at fault, such as `messages[2].content[0].type`. */
  readonly param?: string;
  /** The exact cause, for logs and metrics: `connect_timeout`, `http_503`, `truncated_stream` … Defaults to the code. */
  readonly kind?: string;
  /** Overrides the code's own status, if the contract allows several. */
  readonly status?: number;
  /** The code that a client sees, if the contract lets it vary (an upstream's own code for a bad parameter). */
  readonly publicCode?: string;
  /**
   * Further members of the upstream's error about a client's mistake, under the upstream's names (Groq's `failed_generation`).
   */
  readonly upstreamDetails?: Readonly<Record<string, unknown>>;
  readonly retry?: RetryVerdict;
  readonly side?: FailureSide;
  readonly retryAfterMs?: number;
  readonly didYouMean?: string;
  readonly suggestions?: readonly string[];
  readonly hint?: string;
  readonly alternatives?: readonly Alternative[];
  /** How many requests of the failed attempt the upstream had answered. It may bill them; the client is not charged. */
  readonly answeredParts?: number;
  /**
   * The account's balance and the estimated cost of the refused request; the contract's `balance_usd` and `estimated_cost_usd`.
   */
  readonly balanceNanoUsd?: bigint;
  readonly estimatedCostNanoUsd?: bigint;
  /** When the exhausted budget is reset (`resets_at`). */
  readonly resetsAtMs?: number;
}

/**
 * A failure as a value: it has a code, whose fault it is and whether a retry may help, and each format renders it in its own
 * envelope (design, section 4). It is not an `Error`: nothing is thrown, so no stack can leak.
 */
export class Failure {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly side: FailureSide;
  readonly retry: RetryVerdict;
  readonly kind: string;
  readonly details: FailureDetails;

  constructor(code: ErrorCode, details: FailureDetails) {
    const rule = ERROR_CODES[code];
    this.code = code;
    this.status = details.status ?? rule.status;
    this.type = rule.type;
    this.side = details.side ?? rule.side;
    this.retry = details.retry ?? rule.retry;
    this.kind = details.kind ?? code;
    this.details = details;
  }

  get message(): string {
    return this.details.message;
  }

  /** An RFC 3339 time. */
  get resetsAt(): string | undefined {
    const { resetsAtMs } = this.details;
    return resetsAtMs === undefined ? undefined : new Date(resetsAtMs).toISOString().replace('.000Z', 'Z');
  }

  /** The contract's `retry_after` and the `Retry-After` header: whole seconds, rounded up so that waiting that long suffices. */
  get retryAfterSeconds(): number | undefined {
    const { retryAfterMs } = this.details;
    return retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}

/** The repair time is unknown; the store is checked every second. */
const STORE_RETRY_MS = 5_000;

/**
 * Returns the failure from before the upstream is called, whose answer would cost the operator money and could not be given to
 * the client.
 */
export function storageUnavailable(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The gateway cannot record the cost of the request at the moment, so it was not sent to a provider.',
    retryAfterMs: STORE_RETRY_MS,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}
