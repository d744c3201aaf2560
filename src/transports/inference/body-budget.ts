import { Failure } from '../../domain/failure/failure.ts';

const RETRY_AFTER_MS = 1_000;
/** No account holds more of the memory than this part, so that there is always room for another's. */
const SHARE = 0.5;

/** The memory that the bodies of all requests in flight may take together. */
export class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();
  private readonly shareBytes: number;

  /** One body of `maxBodyBytes` always fits, whoever sends it. */
  constructor(
    private readonly totalBytes: number,
    maxBodyBytes: number,
  ) {
    this.totalBytes = Math.max(totalBytes, 2 * maxBodyBytes);
    this.shareBytes = this.totalBytes * SHARE;
  }

  get heldBytes(): number {
    return this.held;
  }

  take(accountId: string, bytes: number): Failure | null {
    const own = (this.heldBy.get(accountId) ?? 0) + bytes;
    if (own > this.shareBytes) return refused("The account's requests in flight");
    if (this.held + bytes > this.totalBytes) return refused('All requests in flight');
    this.held += bytes;
    this.heldBy.set(accountId, own);
    return null;
  }

  giveBack(accountId: string, bytes: number): void {
    this.held -= bytes;
    const left = (this.heldBy.get(accountId) ?? 0) - bytes;
    if (left > 0) this.heldBy.set(accountId, left);
    else this.heldBy.delete(accountId);
  }
}

/** What one request holds of the budget: it grows with the body as it arrives, and ends with the answer. */
export class BodyLease {
  private accountId: string | null = null;
  private bytes = 0;

  constructor(private readonly budget: BodyBudget) {}

  belongTo(accountId: string): void {
    this.accountId = accountId;
  }

  grow(bytes: number): Failure | null {
    if (this.accountId === null) throw new Error('a body is read only once its account is known');
    const refusal = this.budget.take(this.accountId, bytes);
    if (refusal === null) this.bytes += bytes;
    return refusal;
  }

  /** It can be called more than once. */
  end(): void {
    if (this.accountId !== null) this.budget.giveBack(this.accountId, this.bytes);
    this.accountId = null;
    this.bytes = 0;
  }
}

function refused(who: string): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `${who} hold as much memory with their bodies as this gateway gives them.`,
    kind: 'body_memory',
    side: 'gateway',
    retry: 'never',
    retryAfterMs: RETRY_AFTER_MS,
    hint: 'Send the request again when others have ended, or send large media by URL.',
  });
}
