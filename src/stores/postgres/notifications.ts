import pg from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { clientConfig } from './connection.ts';

/** `directory` is notified by the trigger `directory_version_notify`, the others by nodes. */
const CHANNELS = {
  directory: 'switchyard_directory',
  recall: 'switchyard_recall',
  recalled: 'switchyard_recalled',
} as const;

export type Channel = keyof typeof CHANNELS;

type Listener = (payload: string) => void;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Receives notifications of other nodes within milliseconds, on its own connection, which is opened with the first listener. The connection
 * may break, and a pooler may not support notifications, so listeners must also work without them.
 */
export class Notifications {
  readonly #options: { readonly url: string; readonly logger: Logger };
  readonly #listeners = new Map<Channel, Set<Listener>>();
  #client: pg.Client | null = null;
  #retry: Timer | null = null;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;

  constructor(options: { readonly url: string; readonly logger: Logger }) {
    this.#options = options;
  }

  /**
   * Calls the listener with each payload on the channel, and with an empty string after each connect, since earlier notifications may have
   * been missed. Returns a function that stops it.
   */
  on(channel: Channel, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    if (this.#client === null && this.#retry === null) void this.#connect();
    return () => {
      listeners.delete(listener);
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
    client.on('notification', ({ channel: name, payload = '' }) => {
      for (const channel of this.#listeners.keys()) if (CHANNELS[channel] === name) this.#tell(channel, payload);
    });
    // An error ends the connection. For a lost connection, 'end' is emitted as well.
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, null));
    try {
      await client.connect();
      for (const name of Object.values(CHANNELS)) await client.query(`LISTEN ${name}`);
      this.#retryMs = FIRST_RETRY_MS;
      for (const channel of this.#listeners.keys()) this.#tell(channel, '');
    } catch (error) {
      this.#lost(client, error);
    }
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    void client.end().catch(() => undefined);
    const reason = error === null ? {} : { error: firstLine(error) };
    this.#options.logger.debug(reason, 'notifications from other nodes are interrupted');
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #tell(channel: Channel, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }
}

/** Returns the statement that notifies the channel; its payload is `$1`, at most 8,000 bytes. */
export function notifyOn(channel: Channel): string {
  return `select pg_notify('${CHANNELS[channel]}', $1)`;
}
