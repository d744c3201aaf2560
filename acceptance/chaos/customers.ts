import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { buy, type Purchase, type Receipt } from '../../conformance/money/client.ts';
import { CLIENT_FORMATS } from '../../conformance/routing/client.ts';
import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';
import { NODES } from './plan.ts';
import { ACCOUNTS, type AccountName, type ChaosSite, COSTS, type ModelName } from './site.ts';

/** The pause after a request without a complete response, as in a client that retries. */
const UNANSWERED_PAUSE_MS = 50;
/** The shortest client time-out. Customers give up, so that the load continues while the database is paused. */
const LEAST_PATIENCE_MS = 1_000;
const MOST_PATIENCE_MS = 8_000;
/** Weighted towards accounts with money: requests of the others are mostly refused. */
const PAYING: readonly AccountName[] = [...ACCOUNTS, 'prepaid', 'prepaid', 'unlimited', 'keyed', 'budgeted'];

export interface Bought {
  readonly account: AccountName;
  readonly model: ModelName;
  readonly node: number;
  /** The process ID of the gateway that received the request. */
  readonly pid: number;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly receipt: Receipt;
}

/** Customers who send one request after another until `stop`. */
export class Customers {
  readonly bought: Bought[] = [];
  readonly #site: ChaosSite;
  readonly #buying: Promise<void>[];
  #isOpen = true;

  constructor(site: ChaosSite, seed: number, count: number) {
    this.#site = site;
    this.#buying = Array.from({ length: count }, (_, index) => this.#buyOn(seededRandom(seed * 1_000 + index)));
  }

  /** Resolves when the last responses have arrived. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    await Promise.all(this.#buying);
  }

  async #buyOn(random: () => number): Promise<void> {
    const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    const models = Object.keys(COSTS) as ModelName[];
    while (this.#isOpen) {
      const [account, model, format, node] = [
        oneOf(PAYING),
        oneOf(models),
        oneOf(CLIENT_FORMATS),
        Math.floor(random() * NODES),
      ];
      const over = random() < 0.5 ? format : oneOf(CLIENT_FORMATS);
      const patienceMs = LEAST_PATIENCE_MS + random() * (MOST_PATIENCE_MS - LEAST_PATIENCE_MS);
      const asked = { model: modelOver(over, model), format, stream: random() < 0.7, patienceMs };
      const isAnswered = await this.#buy({ account, model, node }, asked);
      if (!isAnswered) await Bun.sleep(UNANSWERED_PAUSE_MS);
    }
  }

  async #buy(
    of: Pick<Bought, 'account' | 'model' | 'node'>,
    { patienceMs, ...asked }: Pick<Purchase, 'model' | 'format' | 'stream'> & { readonly patienceMs: number },
  ): Promise<boolean> {
    const { pid, port } = this.#site.bed.nodes[of.node]!;
    const sentAtMs = performance.now();
    const receipt = await buy({
      ...{ ...asked, port, key: keyOf(of.account), maxTokens: 20, takesUnwritable: true },
      signal: AbortSignal.timeout(patienceMs),
    });
    this.bought.push({ ...of, pid, sentAtMs, answeredAtMs: performance.now(), receipt });
    return receipt.isComplete;
  }
}
