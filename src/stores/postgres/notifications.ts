import pg from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { clientConfig } from './connection.ts';

/** What the trigger of migration 0026 notifies. */
const CHANNEL = 'switchyard_directory';
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Hears of changes of the directory within milliseconds, on a connection of its own that is made with the first listener. Where it is
 * lost, or a pooler between does not hand notifications on, nothing is missed but time: the version is looked at anyway.
 */
export class ChangeListener {
  readonly #options: { readonly url: string; readonly logger: Logger };
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | null = null;
  #retry: Timer | null = null;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;

  constructor(options: { readonly url: string; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Gives what stops it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#client === null && this.#retry === null) void this.#connect();
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    this.#retry = null;
    const client = new pg.Client(clientConfig(this.#options.url));
    this.#client = client;
    client.on('notification', () => this.#tell());
    // An error ends the connection, and of what is lost the end is told, too.
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, null));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#retryMs = FIRST_RETRY_MS;
      // What was notified meanwhile was not heard.
      this.#tell();
    } catch (error) {
      this.#lost(client, error);
    }
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    void client.end().catch(() => undefined);
    const reason = error === null ? {} : { error: firstLine(error) };
    this.#options.logger.debug(reason, 'changes of other nodes are not heard of: they are looked for');
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
