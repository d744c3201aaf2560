import type { MessageAt } from '../../domain/logs/events.ts';
import type { Logger } from '../../engine/ports/logger.ts';

const PROBE_INTERVAL_MS = 500;

/** The log messages. */
export interface OutageWords {
  /** Says that the outage began and what happens to requests meanwhile. */
  readonly began: MessageAt<'error'>;
  readonly ended: MessageAt<'warn'>;
}

export interface OutageOptions {
  readonly logger: Logger;
  /** The address without its password. */
  readonly server: string;
  readonly words: OutageWords;
  /** Sends a command that only succeeds if the server is healthy; rejects otherwise. */
  readonly probe: () => Promise<void>;
  readonly onBegin?: (() => void) | undefined;
  readonly onEnd: () => void;
}

/**
 * Tracks whether Redis is unavailable. An outage begins with the first failure, so that only requests already waiting wait in vain, and
 * ends when a probe succeeds, so that no request is used for trying.
 */
export class Outage {
  readonly #options: OutageOptions;
  #beganAtMs: number | null = null;
  #nextProbeAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#beganAtMs !== null;
  }

  /** The time until the next probe, at least one probe interval. */
  get retryAfterMs(): number {
    return Math.max(PROBE_INTERVAL_MS, Math.ceil(this.#nextProbeAtMs - performance.now()));
  }

  begin(error: unknown): void {
    if (this.isOn || this.#isClosed) return;
    this.#beganAtMs = performance.now();
    const { logger, server, words } = this.#options;
    logger.error({ server, reason: reasonOf(error) }, words.began);
    this.#options.onBegin?.();
    this.#probeLater();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #probeLater(): void {
    if (this.#isClosed) return;
    this.#nextProbeAtMs = performance.now() + PROBE_INTERVAL_MS;
    this.#timer = setTimeout(() => void this.#probe(), PROBE_INTERVAL_MS);
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    try {
      await this.#options.probe();
    } catch {
      return this.#probeLater();
    }
    const durationMs = Math.round(performance.now() - (this.#beganAtMs ?? 0));
    this.#beganAtMs = null;
    if (this.#isClosed) return;
    const { logger, server, words, onEnd } = this.#options;
    logger.warn({ server, durationMs }, words.ended);
    onEnd();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
