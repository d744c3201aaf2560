import type {
  IdempotencyState,
  IdempotencyStore,
  IdempotentRequest,
  KeptAnswer,
} from '../../engine/ports/idempotency-store.ts';

interface Kept {
  readonly fingerprint: string;
  readonly atMs: number;
  answer: KeptAnswer | null;
}

export class MemoryIdempotency implements IdempotencyStore {
  readonly #kept = new Map<string, Kept>();

  async begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState> {
    const kept = this.#kept.get(placeOf(request));
    if (kept === undefined) {
      this.#kept.set(placeOf(request), { fingerprint: request.fingerprint, atMs: nowMs, answer: null });
      return { kind: 'new' };
    }
    if (kept.fingerprint !== request.fingerprint) return { kind: 'other' };
    return kept.answer === null ? { kind: 'running' } : { kind: 'done', answer: kept.answer };
  }

  async finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const kept = this.#kept.get(placeOf(request));
    if (kept !== undefined) kept.answer = answer;
  }

  async abandon(request: IdempotentRequest): Promise<void> {
    this.#kept.delete(placeOf(request));
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    const old = [...this.#kept].filter(([, { atMs }]) => atMs < beforeMs).slice(0, limit);
    for (const [place] of old) this.#kept.delete(place);
    return old.length;
  }
}

function placeOf({ scope, key }: IdempotentRequest): string {
  return JSON.stringify([scope, key]);
}
