import { ByteBudget } from '../../domain/access/byte-budget.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { MemoryFigures } from '../../engine/ports/figures.ts';
import { MEMORY_PER_BODY_BYTE } from '../../engine/settings/settings.ts';

const RETRY_AFTER_MS = 1_000;
/** The share of the memory that one account may hold, so that there is always room for others. */
const ACCOUNT_SHARE = 0.5;

/** Bounds the total memory used by the bodies of all requests in flight. */
export class BodyBudget {
  private readonly budget: ByteBudget;

  /**
   * @param memoryBytes the memory for all bodies, each of which counts `MEMORY_PER_BODY_BYTE` times its size. It is raised if one body of
   *   `maxBodyBytes` would not fit into an account's share.
   */
  constructor(memoryBytes: number, maxBodyBytes: number) {
    const total = Math.max(memoryBytes, (maxBodyBytes * MEMORY_PER_BODY_BYTE) / ACCOUNT_SHARE);
    this.budget = new ByteBudget({ total, perAccount: total * ACCOUNT_SHARE });
  }

  get figures(): MemoryFigures {
    return this.budget.figures;
  }

  /** The bytes of bodies that fit, of all accounts and of one. */
  get bodyBytes(): { readonly total: number; readonly perAccount: number } {
    const { total, perAccount } = this.budget.bounds;
    return { total: total / MEMORY_PER_BODY_BYTE, perAccount: perAccount / MEMORY_PER_BODY_BYTE };
  }

  /** The memory in use, in bytes. */
  get heldBytes(): number {
    return this.budget.heldBytes();
  }

  /** Reserves memory for `bytes` of a body; returns the client's error if there is not enough. */
  take(accountId: string, bytes: number): Failure | null {
    const memory = bytes * MEMORY_PER_BODY_BYTE;
    if (this.budget.take(accountId, memory)) return null;
    const { perAccount } = this.budget.bounds;
    const isOwn = this.budget.heldBytes(accountId) + memory > perAccount;
    return refused(isOwn ? "The account's requests in flight" : 'All requests in flight');
  }

  giveBack(accountId: string, bytes: number): void {
    this.budget.give(accountId, bytes * MEMORY_PER_BODY_BYTE);
  }
}

/** The memory reserved for one request: it grows as the body arrives, and is released with the answer. */
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

  /** Releases the memory. Idempotent. */
  end(): void {
    if (this.accountId !== null) this.budget.giveBack(this.accountId, this.bytes);
    this.accountId = null;
    this.bytes = 0;
  }
}

function refused(who: string): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `${who} use all the memory that their bodies may take.`,
    kind: 'body_memory',
    side: 'gateway',
    retry: 'never',
    retryAfterMs: RETRY_AFTER_MS,
    hint: 'Retry when other requests have finished, or send large media by URL.',
  });
}
