import type { Proxies } from '../proxies.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { type Carriers, Exchange } from './exchange.ts';
import { type PassingBytes, PassingExchange } from './passing-exchange.ts';
import type { Place, PlaceTls } from './place.ts';
import { type PlainRequest, RequestHeads } from './request-head.ts';

/** How long an idle connection is kept by default: shorter than the usual limits of servers and load balancers. */
const KEPT_MS = 55_000;
/** Subtracted because the server starts counting at another moment. */
const MARGIN_MS = 1_000;
const LONGEST_KEPT_MS = 300_000;
const MAX_SESSIONS = 1_000;

export interface PassingRequest extends Omit<PlainRequest, 'body'> {
  readonly body: PassingBytes;
}

export interface PoolLimits {
  /** The limits of idle connections, per place and in total. */
  readonly resting: number;
  readonly restingInAll: number;
  /** The limit of all connections of one place, busy or idle. */
  readonly open: number;
  /** How long a connection that is no longer wanted may take to open: the next request may need it. */
  readonly makingMs: number;
  readonly sweepMs: number;
}

const LIMITS: PoolLimits = { resting: 512, restingInAll: 4_096, open: 8_192, makingMs: 10_000, sweepMs: 5_000 };

/** Uses the system's code for the lack of sockets. */
class TooManyConnections extends Error {
  readonly code = 'ENOBUFS';
}

/**
 * An HTTP/1.1 client with pooled connections, the most recently used first. Parses answers strictly (`answer-head.ts`, `answer-reader.ts`);
 * follows no redirects and decodes no bodies.
 */
export class ConnectionPool implements ConnectionOwner, Carriers {
  private readonly heads: RequestHeads;
  private readonly resting = new Map<string, Connection[]>();
  private restingCount = 0;
  private readonly making = new Set<Connection>();
  private readonly openCounts = new Map<string, number>();
  private readonly sessions = new Map<string, Buffer>();
  private sweeper: ReturnType<typeof setInterval> | null = null;

  constructor(
    proxies: Proxies | null = null,
    private readonly limits = LIMITS,
  ) {
    this.heads = new RequestHeads(proxies);
  }

  /** `tls` is how the server proves its identity, if not by the URL's host. Throws `TypeError` for an invalid request. */
  open(request: PlainRequest, tls: PlaceTls | undefined): Exchange {
    return new Exchange(this.heads.of(request, tls), request.body, this);
  }

  /** Does the same for a body that is still arriving. */
  pass(request: PassingRequest, tls: PlaceTls | undefined): Exchange {
    return new PassingExchange(this.heads.of(request, tls), request.body, this);
  }

  /** The numbers of open connections. */
  get figures(): { readonly used: number; readonly idle: number } {
    let open = 0;
    for (const count of this.openCounts.values()) open += count;
    return { used: open - this.restingCount, idle: this.restingCount };
  }

  /** Closes all idle connections. */
  close(): void {
    for (const connection of [...this.resting.values()].flat()) connection.cut();
  }

  rest(connection: Connection): void {
    const resting = this.restingAt(connection.place);
    if (resting.length >= this.limits.resting || this.restingCount >= this.limits.restingInAll) {
      connection.cut();
      return;
    }
    connection.expiresAtMs = performance.now() + Math.min(connection.keptMs - MARGIN_MS, LONGEST_KEPT_MS);
    resting.push(connection);
    this.restingCount++;
    connection.lie();
    if (this.sweeper === null) this.sweepLater();
  }

  made(connection: Connection): void {
    this.making.delete(connection);
  }

  gone(connection: Connection): void {
    const { key } = connection.place;
    this.making.delete(connection);
    const open = (this.openCounts.get(key) ?? 1) - 1;
    if (open === 0) this.openCounts.delete(key);
    else this.openCounts.set(key, open);
    const resting = this.resting.get(key);
    const at = resting?.indexOf(connection) ?? -1;
    if (resting === undefined || at < 0) return;
    resting.splice(at, 1);
    this.restingCount--;
    if (resting.length === 0) this.resting.delete(key);
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
        this.make(exchange, nowMs);
        return;
      }
      this.restingCount--;
      if (connection.expiresAtMs < nowMs) connection.cut();
      else if (connection.carry(exchange)) return;
    }
  }

  private make(exchange: Exchange, nowMs: number): void {
    const { place } = exchange;
    const open = this.openCounts.get(place.key) ?? 0;
    if (open >= this.limits.open) {
      exchange.failed(new TooManyConnections(), false);
      return;
    }
    this.openCounts.set(place.key, open + 1);
    const connection = new Connection(place, this, KEPT_MS);
    connection.expiresAtMs = nowMs + this.limits.makingMs;
    this.making.add(connection);
    if (this.sweeper === null) this.sweepLater();
    connection.open(exchange);
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
    this.sweeper = setInterval(() => this.sweep(), this.limits.sweepMs);
    this.sweeper.unref();
  }

  private sweep(): void {
    const nowMs = performance.now();
    for (const connection of [...this.resting.values()].flat()) {
      if (connection.expiresAtMs < nowMs) connection.cut();
    }
    for (const connection of this.making) {
      if (connection.expiresAtMs < nowMs && !connection.isWanted) connection.cut();
    }
    for (const [key, resting] of this.resting) if (resting.length === 0) this.resting.delete(key);
    if (this.resting.size + this.making.size > 0 || this.sweeper === null) return;
    clearInterval(this.sweeper);
    this.sweeper = null;
  }
}
