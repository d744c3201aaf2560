import { SharedMemory } from '../../call/shared-memory.ts';
import type { ChainLimits, ResponseChain, ResponseStore, StoredResponse } from '../../ports/response-store.ts';

const DEFAULT_CAPACITY_BYTES = 128 * 1024 * 1024;
/** One connection's latest. */
const MOST_RESPONSES = 1_000;

/**
 * Answers that their clients do not want stored and may go on from all the same, on the connection that they came on (OpenAI,
 * "WebSocket mode"). All connections share one bound in bytes, of which an account has at most half; the oldest go first.
 */
export class ConnectionMemories {
  private readonly shared: SharedMemory<StoredResponse>;
  private opened = 0;

  constructor(capacityBytes = DEFAULT_CAPACITY_BYTES) {
    this.shared = new SharedMemory(capacityBytes);
  }

  open(accountId: string): ConnectionMemory {
    return new ConnectionMemory(this.shared, accountId, String(++this.opened));
  }
}

/** One connection's part. */
export class ConnectionMemory {
  private readonly ids = new Set<string>();
  private isClosed = false;

  constructor(
    private readonly shared: SharedMemory<StoredResponse>,
    private readonly accountId: string,
    private readonly connectionId: string,
  ) {}

  put(response: StoredResponse): void {
    // A request may end after its connection.
    if (this.isClosed) return;
    const { id, inputJson, responseJson } = response;
    this.shared.set(this.accountId, this.keyOf(id), response, 2 * (inputJson.length + responseJson.length) + 500);
    this.ids.add(id);
    if (this.ids.size <= MOST_RESPONSES) return;
    const [oldest] = this.ids;
    if (oldest !== undefined) this.forget(oldest);
  }

  has(id: string): boolean {
    return this.shared.get(this.accountId, this.keyOf(id)) !== undefined;
  }

  /** The turns that end with this one, the oldest first, as far as they are here. */
  endingWith(id: string): readonly StoredResponse[] {
    const turns: StoredResponse[] = [];
    let at: string | null = id;
    while (at !== null && turns.length < MOST_RESPONSES) {
      const turn: StoredResponse | undefined = this.shared.get(this.accountId, this.keyOf(at));
      if (turn === undefined) break;
      turns.push(turn);
      at = turn.previousId;
    }
    return turns.reverse();
  }

  close(): void {
    this.isClosed = true;
    for (const id of [...this.ids]) this.forget(id);
  }

  private forget(id: string): void {
    this.ids.delete(id);
    this.shared.delete(this.accountId, this.keyOf(id));
  }

  private keyOf(id: string): string {
    return `${this.connectionId} ${id}`;
  }
}

/** The conversation that ends with a response, its later turns being here and the earlier ones in the store. */
export async function chainOf(
  store: ResponseStore,
  memory: ConnectionMemory | undefined,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  limits: ChainLimits,
): Promise<ResponseChain> {
  const own = memory?.endingWith(id) ?? [];
  const [oldest] = own;
  if (oldest === undefined) return store.chain(accountId, id, limits);
  if (oldest.previousId === null) return { kind: 'found', responses: own };
  const chain = await store.chain(accountId, oldest.previousId, limits);
  return chain.kind === 'found' ? { kind: 'found', responses: [...chain.responses, ...own] } : chain;
}
