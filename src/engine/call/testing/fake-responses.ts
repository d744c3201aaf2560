import type { Clock } from '../../ports/clock.ts';
import type {
  ChainLimits,
  PutResponseOutcome,
  ResponseChain,
  ResponseStore,
  StoredResponse,
} from '../../ports/response-store.ts';

/** Keeps stored responses in a map, without quotas. */
export class FakeResponses implements ResponseStore {
  private readonly kept = new Map<string, StoredResponse>();

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {}

  async put(response: StoredResponse): Promise<PutResponseOutcome> {
    const key = keyOf(response.accountId, response.id);
    if (this.kept.has(key)) return 'id-taken';
    this.kept.set(key, { ...response });
    return 'stored';
  }

  async get(accountId: string, id: string): Promise<StoredResponse | null> {
    const response = this.kept.get(keyOf(accountId, id));
    return response === undefined || response.expiresAtMs <= this.clock.nowMs() ? null : response;
  }

  async chain(accountId: string, id: string, { maxResponses, maxBytes }: ChainLimits): Promise<ResponseChain> {
    const responses: StoredResponse[] = [];
    let bytes = 0;
    for (let next: string | null = id; next !== null; ) {
      const response = await this.get(accountId, next);
      if (response === null) return { kind: 'missing', id: next };
      responses.push(response);
      bytes += response.inputJson.length + response.responseJson.length;
      if (responses.length > maxResponses || bytes > maxBytes) return { kind: 'too-long' };
      next = response.previousId;
    }
    return { kind: 'found', responses: responses.reverse() };
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    return this.kept.delete(keyOf(accountId, id));
  }

  async removeExpired(): Promise<number> {
    return 0;
  }
}

function keyOf(accountId: string, id: string): string {
  return JSON.stringify([accountId, id]);
}
