import { SharedMemory } from '../../call/shared-memory.ts';
import type { ChainLimits, ResponseChain, ResponseStore, StoredResponse } from '../../ports/response-store.ts';

const DEFAULT_CAPACITY_BYTES = 128 * 1024 * 1024;
/** The most responses kept for one connection; the latest are kept. */
const MOST_RESPONSES = 1_000;

/**
 * Responses that clients do not want stored but may continue on the same connection (OpenAI, "WebSocket mode"). All connections share one
 * bound in bytes. One account has at most half, and the oldest are evicted first.
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

/** The responses of one connection. */
export class ConnectionMemory {
  private readonly ids = new Set<string>();
  private isClosed = false;

  constructor(
    private readonly shared: SharedMemory<StoredResponse>,
    private readonly accountId: string,
    private readonly connectionId: string,
  ) {}

  put(response: StoredResponse): void {
    // A request may end after its connection was closed.
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

  /** Returns the turns that lead to this one, oldest first, as far as this connection has them. */
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

/** Resolves to the conversation that ends with a response. Later turns may be in the connection's memory, earlier ones in the store. */
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
