import { COMMIT_SECONDS } from '../../domain/metrics/bounds.ts';
import { Histogram } from '../../domain/metrics/histogram.ts';
import type { RedisFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { within } from '../shared/within.ts';
import { describeAddress, parseRedisAddress } from './address.ts';
import { notPatient, openClient, type Patience, type RedisClient } from './connection.ts';
import { Outage, type OutageWords } from './outage.ts';

export interface RedisAccessOptions {
  readonly use: RedisFigures['use'];
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  readonly logger: Logger;
  /** The longest time that a request waits for Redis. */
  readonly answerTimeoutMs: number;
  /** The most commands in flight. */
  readonly maxWaiting: number;
  readonly words: OutageWords;
  /** Sends a command that only succeeds if the server is healthy; rejects otherwise. */
  readonly probe: () => Promise<void>;
  readonly onOutageBegin?: () => void;
  readonly onOutageEnd: () => void;
  readonly patience?: Patience | undefined;
}

const FIRST_CONNECT_MS = 2_000;

type Send = (client: RedisClient) => Promise<unknown>;

/** A connection for a single purpose, with limits on commands in flight and outage detection. */
export class RedisAccess {
  readonly #options: RedisAccessOptions;
  readonly #client: RedisClient;
  readonly #outage: Outage;
  readonly #durations = new Histogram(COMMIT_SECONDS);
  #errors = 0;
  #waiting = 0;
  #lastError: unknown = null;

  /** Throws `RedisAddressError` if the URL is invalid. */
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

  get figures(): RedisFigures {
    const { use, maxWaiting: capacity } = this.#options;
    const { isAway } = this;
    return { use, isAway, durations: this.#durations, errors: this.#errors, waiting: this.#waiting, capacity };
  }

  /** Whether Redis is known to be unavailable. */
  get isAway(): boolean {
    return this.#outage.isOn;
  }

  /** The time until the next probe. */
  get retryAfterMs(): number {
    return this.#outage.retryAfterMs;
  }

  /** Resolves when Redis responds, or after two seconds; then it counts as unavailable, as in any outage. */
  async connect(): Promise<void> {
    const opening = this.#client.connect();
    // The client keeps trying after a failure, and also reports it as an event.
    opening.catch(() => {});
    try {
      await within(this.#patiently(FIRST_CONNECT_MS), this.#firstAnswer());
    } catch (error) {
      this.#outage.begin(this.#lastError ?? error);
    }
  }

  /** Resolves to the response; rejects if there is none in time. */
  async ask(send: Send, timeoutMs = this.#options.answerTimeoutMs): Promise<unknown> {
    const { maxWaiting } = this.#options;
    if (this.#waiting >= maxWaiting) throw new Error(`${maxWaiting} requests are already waiting for a response`);
    this.#waiting++;
    const beganAtMs = performance.now();
    try {
      const answer = await within(this.#patiently(timeoutMs), send(this.#client));
      this.#durations.observe((performance.now() - beganAtMs) / 1_000);
      return answer;
    } catch (error) {
      this.#errors++;
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  /** Sends a command whose result nothing waits for. */
  tell(send: Send): void {
    this.ask(send).catch((error) => this.failed(error));
  }

  /** Reports a failure, after which Redis is not used until a probe succeeds. */
  failed(error: unknown): void {
    this.#outage.begin(error);
  }

  /** Sends queued writes within a bounded time, then closes. */
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
