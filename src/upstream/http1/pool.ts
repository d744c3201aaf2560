import { Connection, type ConnectionOwner } from './connection.ts';
import { type Carriers, Exchange } from './exchange.ts';
import type { Place, PlaceTls } from './place.ts';
import { type PlainRequest, RequestHeads } from './request-head.ts';

/** Without a word of the server's: shorter than what servers and load balancers commonly keep an idle connection for. */
const KEPT_MS = 55_000;
/** The server counts from another moment. */
const MARGIN_MS = 1_000;
const LONGEST_KEPT_MS = 300_000;
const SWEEP_INTERVAL_MS = 5_000;
/** Of one place, beyond those that are busy. */
const MAX_RESTING = 512;
const MAX_SESSIONS = 1_000;
/**
 * An HTTP/1.1 client whose connections are kept and used again, the last one first. Reads answers strictly (`answer-head.ts`,
 * `answer-reader.ts`); follows no redirect and decodes no body.
 */
export class ConnectionPool implements ConnectionOwner, Carriers {
  private readonly heads = new RequestHeads();
  private readonly resting = new Map<string, Connection[]>();
  private readonly sessions = new Map<string, Buffer>();
  private sweeper: ReturnType<typeof setInterval> | null = null;

  /** `tls` is how the server proves who it is, where that is not the URL's host. Throws `TypeError` for what cannot be sent. */
  open(request: PlainRequest, tls: PlaceTls | undefined): Exchange {
    return new Exchange(this.heads.of(request, tls), request.body, this);
  }

  /** Lets go of all connections that carry nothing. */
  close(): void {
    for (const connection of [...this.resting.values()].flat()) connection.cut();
  }

  rest(connection: Connection): void {
    const resting = this.restingAt(connection.place);
    if (resting.length >= MAX_RESTING) {
      connection.cut();
      return;
    }
    connection.expiresAtMs = performance.now() + Math.min(connection.keptMs - MARGIN_MS, LONGEST_KEPT_MS);
    resting.push(connection);
    connection.lie();
    if (this.sweeper === null) this.sweepLater();
  }

  gone(connection: Connection): void {
    const resting = this.resting.get(connection.place.key);
    const at = resting?.indexOf(connection) ?? -1;
    if (resting === undefined || at < 0) return;
    resting.splice(at, 1);
    if (resting.length === 0) this.resting.delete(connection.place.key);
  }

  session({ key }: Place): Buffer | null {
    return this.sessions.get(key) ?? null;
  }

  keepSession({ key }: Place, session: Buffer): void {
    if (this.sessions.size >= MAX_SESSIONS) this.sessions.clear();
    this.sessions.set(key, session);
  }

  carry(exchange: Exchange, mustBeNew: boolean): void {
    const { place } = exchange;
    const nowMs = performance.now();
    for (;;) {
      const connection = mustBeNew ? undefined : this.resting.get(place.key)?.pop();
      if (connection === undefined) {
        new Connection(place, this, KEPT_MS).open(exchange);
        return;
      }
      if (connection.expiresAtMs < nowMs) connection.cut();
      else if (connection.carry(exchange)) return;
    }
  }

  private restingAt({ key }: Place): Connection[] {
    let resting = this.resting.get(key);
    if (resting === undefined) {
      resting = [];
      this.resting.set(key, resting);
    }
    return resting;
  }

  private sweepLater(): void {
    this.sweeper = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS);
    this.sweeper.unref();
  }

  private sweep(): void {
    const nowMs = performance.now();
    for (const connection of [...this.resting.values()].flat()) {
      if (connection.expiresAtMs < nowMs) connection.cut();
    }
    for (const [key, resting] of this.resting) if (resting.length === 0) this.resting.delete(key);
    if (this.resting.size > 0 || this.sweeper === null) return;
    clearInterval(this.sweeper);
    this.sweeper = null;
  }
}
