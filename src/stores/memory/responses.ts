import type { Clock } from '../../engine/ports/clock.ts';
import {
  type ChainLimits,
  DEFAULT_RESPONSE_QUOTA,
  MAX_STORED_RESPONSE_BYTES,
  type PutResponseOutcome,
  type ResponseChain,
  type ResponseQuota,
  type ResponseStore,
  type StoredResponse,
} from '../../engine/ports/response-store.ts';
import { contentBytesOf } from '../shared/response-size.ts';

interface Held {
  readonly response: StoredResponse;
  readonly bytes: number;
}

export class MemoryResponses implements ResponseStore {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #capacityBytes: number;
  /** Keyed by account and id, in insertion order. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;

  /** @param capacityBytes the size beyond which the oldest responses are dropped */
  constructor(clock: Pick<Clock, 'nowMs'>, capacityBytes: number) {
    this.#clock = clock;
    this.#capacityBytes = capacityBytes;
  }

  async put(response: StoredResponse, quota = DEFAULT_RESPONSE_QUOTA): Promise<PutResponseOutcome> {
    const key = keyOf(response.accountId, response.id);
    const bytes = contentBytesOf(response);
    if (bytes > MAX_STORED_RESPONSE_BYTES) return 'too-large';
    if (this.#held.has(key)) return 'id-taken';
    // Copied, so that later mutations by the caller do not affect the store.
    this.#held.set(key, { response: { ...response }, bytes });
    this.#heldBytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#heldBytes <= this.#capacityBytes) break;
      this.#remove(oldest);
    }
    this.#makeRoom(response.accountId, quota);
    return this.#held.has(key) ? 'stored' : 'no-room';
  }

  async get(accountId: string, id: string): Promise<StoredResponse | null> {
    return this.#find(accountId, id)?.response ?? null;
  }

  async chain(accountId: string, id: string, { maxResponses, maxBytes }: ChainLimits): Promise<ResponseChain> {
    const responses: StoredResponse[] = [];
    let bytes = 0;
    for (let next: string | null = id; next !== null; ) {
      const held = this.#find(accountId, next);
      if (held === null) return { kind: 'missing', id: next };
      responses.push(held.response);
      bytes += held.bytes;
      if (responses.length > maxResponses || bytes > maxBytes) return { kind: 'too-long' };
      next = held.response.previousId;
    }
    return { kind: 'found', responses: responses.reverse() };
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    return this.#find(accountId, id) !== null && this.#remove(keyOf(accountId, id));
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    const expired = [...this.#held]
      .filter(([, { response }]) => response.expiresAtMs <= nowMs)
      .sort(([, a], [, b]) => a.response.expiresAtMs - b.response.expiresAtMs)
      .slice(0, Math.max(0, limit));
    for (const [key] of expired) this.#remove(key);
    return expired.length;
  }

  removeOf(accountId: string, isCounted: boolean): number {
    const own = [...this.#held].filter(([, { response }]) => response.accountId === accountId);
    for (const [key] of isCounted ? [] : own) this.#remove(key);
    return own.length;
  }

  #makeRoom(accountId: string, { maxResponses, maxBytes }: ResponseQuota): void {
    const own = [...this.#held].filter(([, { response }]) => response.accountId === accountId);
    let count = own.length;
    let total = own.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    for (const [key, { bytes }] of own) {
      if (count <= maxResponses && total <= maxBytes) return;
      this.#remove(key);
      count -= 1;
      total -= bytes;
    }
  }

  #find(accountId: string, id: string): Held | null {
    const held = this.#held.get(keyOf(accountId, id));
    return held === undefined || held.response.expiresAtMs <= this.#clock.nowMs() ? null : held;
  }

  #remove(key: string): boolean {
    this.#heldBytes -= this.#held.get(key)?.bytes ?? 0;
    return this.#held.delete(key);
  }
}

function keyOf(accountId: string, id: string): string {
  return JSON.stringify([accountId, id]);
}
