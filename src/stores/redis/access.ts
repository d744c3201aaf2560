import type { Logger } from '../../engine/ports/logger.ts';
import { within } from '../shared/within.ts';
import { describeAddress, parseRedisAddress } from './address.ts';
import { notPatient, openClient, type Patience, type RedisClient } from './connection.ts';
import { Outage, type OutageWords } from './outage.ts';

export interface RedisAccessOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  readonly logger: Logger;
  /** Longer than this no request waits for Redis. */
  readonly answerTimeoutMs: number;
  /** More commands than this do not wait for their answers at one time. */
  readonly maxWaiting: number;
  readonly words: OutageWords;
  /** Asks the server something that it can only answer when all is well; rejects otherwise. */
  readonly probe: () => Promise<void>;
  readonly onOutageBegin?: () => void;
  readonly onOutageEnd: () => void;
  readonly patience?: Patience | undefined;
}

const FIRST_CONNECT_MS = 2_000;

type Send = (client: RedisClient) => Promise<unknown>;

/** A connection of its own for one purpose, with bounds on what waits for it, and its outages. */
export class RedisAccess {
  readonly #options: RedisAccessOptions;
  readonly #client: RedisClient;
  readonly #outage: Outage;
  #waiting = 0;
  #lastError: unknown = null;

  /** Throws `RedisAddressError` where the URL cannot be read. */
  constructor(options: RedisAccessOptions) {
    const { url, logger, words, probe, onOutageBegin, onOutageEnd } = options;
    const address = parseRedisAddress(url);
    this.#options = options;
    this.#client = openClient(address, options.patience);
    this.#client.on('error', (error) => {
      this.#lastError = error;
    });
    const outages = { onBegin: onOutageBegin, onEnd: onOutageEnd };
    this.#outage = new Outage({ logger, server: describeAddress(address), words, probe, ...outages });
  }

  /** Whether it is known that Redis cannot be asked. */
  get isAway(): boolean {
    return this.#outage.isOn;
  }

  /** Until that is looked at again. */
  get retryAfterMs(): number {
    return this.#outage.retryAfterMs;
  }

  /** Resolves when Redis answers, or after two seconds without it; it is then treated as away like at any other time. */
  async connect(): Promise<void> {
    const opening = this.#client.connect();
    // It goes on trying after this; what was wrong comes as an event, too.
    opening.catch(() => {});
    try {
      await within(this.#patiently(FIRST_CONNECT_MS), this.#firstAnswer());
    } catch (error) {
      this.#outage.begin(this.#lastError ?? error);
    }
  }

  /** The answer; rejects where there is none in time. */
  async ask(send: Send, timeoutMs = this.#options.answerTimeoutMs): Promise<unknown> {
    const { maxWaiting } = this.#options;
    if (this.#waiting >= maxWaiting) throw new Error(`${maxWaiting} requests wait for an answer`);
    this.#waiting++;
    try {
      return await within(this.#patiently(timeoutMs), send(this.#client));
    } finally {
      this.#waiting--;
    }
  }

  /** For what nobody waits for. */
  tell(send: Send): void {
    this.ask(send).catch((error) => this.failed(error));
  }

  /** Reports a failure after which Redis is not asked until it is back. */
  failed(error: unknown): void {
    this.#outage.begin(error);
  }

  /** Queued writes are still sent, within a bounded time. */
  async close(): Promise<void> {
    this.#outage.close();
    await within(this.#patiently(this.#options.answerTimeoutMs), this.#client.quit()).catch(() => {});
    this.#client.disconnect();
  }

  #patiently(milliseconds: number): number {
    const { patience = notPatient } = this.#options;
    return milliseconds * patience();
  }

  async #firstAnswer(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#client.once('ready', resolve);
    await promise;
    await this.#options.probe();
  }
}
