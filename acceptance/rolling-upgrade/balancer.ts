/** A gateway behind the balancer. */
export interface Target {
  readonly port: number;
  /** `/readyz` decides unless the operator takes the gateway out. */
  isTakenOut: boolean;
  isReady: boolean;
  /** The requests that were sent to it and have not ended. */
  inFlight: number;
}

const ASK_EVERY_MS = 20;

/** A load balancer that sends requests in turn to the gateways whose `/readyz` returns 200. It retries nothing. */
export class Balancer {
  readonly #targets = new Set<Target>();
  readonly #asking: Promise<void>;
  #next = 0;
  #isOpen = true;

  constructor() {
    this.#asking = this.#keepAsking();
  }

  add(port: number): Target {
    const target = { port, isTakenOut: false, isReady: false, inFlight: 0 };
    this.#targets.add(target);
    return target;
  }

  remove(target: Target): void {
    this.#targets.delete(target);
  }

  /** Sends a request to the port of the next gateway. Rejects if no gateway is ready. */
  async send<Result>(request: (port: number) => Promise<Result>): Promise<Result> {
    const target = this.#choose();
    target.inFlight++;
    return request(target.port).finally(() => {
      target.inFlight--;
    });
  }

  #choose(): Target {
    const ready = [...this.#targets].filter(({ isReady, isTakenOut }) => isReady && !isTakenOut);
    const target = ready[this.#next++ % Math.max(1, ready.length)];
    if (target === undefined) throw new Error('no gateway is ready');
    return target;
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    await this.#asking;
  }

  async #keepAsking(): Promise<void> {
    while (this.#isOpen) {
      await Promise.all([...this.#targets].map((target) => ask(target)));
      await Bun.sleep(ASK_EVERY_MS);
    }
  }
}

async function ask(target: Target): Promise<void> {
  const url = `http://127.0.0.1:${target.port}/readyz`;
  // A connection of its own, since a kept one would be answered by a gateway that no longer listens.
  target.isReady = await fetch(url, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
