import { Connection, type ConnectionOwner } from './connection.ts';
import { Exchange } from './exchange.ts';
import { Locators, type Place, type PlaceTls } from './place.ts';

export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly tls: PlaceTls | undefined;
}

/** Without a word of the server's: shorter than what servers and load balancers commonly keep an idle connection for. */
const KEPT_MS = 55_000;
/** The server counts from another moment. */
const MARGIN_MS = 1_000;
const LONGEST_KEPT_MS = 300_000;
const SWEEP_INTERVAL_MS = 5_000;
/** Of one place, beyond those that are busy. */
const MAX_RESTING = 512;
const MAX_SESSIONS = 1_000;
/** A body up to this size goes out in one write with its head. */
const JOINED_BYTES = 16 * 1024;

/** What the connection itself says. */
const OWN_HEADERS = /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect)$/i;
const IDEMPOTENT = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NO_CONTENT = /^(?:GET|HEAD)$/;

/**
 * An HTTP/1.1 client whose connections are kept and used again, the last one first. Reads answers strictly (`answer-head.ts`,
 * `answer-reader.ts`); follows no redirect and decodes no body.
 */
export class ConnectionPool implements ConnectionOwner {
  private readonly locators = new Locators();
  private readonly resting = new Map<string, Connection[]>();
  private readonly sessions = new Map<string, Buffer>();
  private sweeper: ReturnType<typeof setInterval> | null = null;

  /** Throws `TypeError` for a URL or header that cannot be sent. */
  open({ url, method, headers, body, tls }: PlainRequest): Exchange {
    const { place, target } = this.locators.find(url, tls);
    const text = headText(method, target, place.host, headers, body);
    const isJoined = body !== null && body.length <= JOINED_BYTES;
    const head = Buffer.allocUnsafe(text.length + (isJoined ? body.length : 0));
    head.write(text, 0, 'latin1');
    if (isJoined) head.set(body, text.length);
    return new Exchange(
      { head, body: isJoined ? null : body, isIdempotent: IDEMPOTENT.test(method) },
      { carry: (exchange, mustBeNew) => this.carry(place, exchange, mustBeNew) },
    );
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
    this.sweepLater();
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

  private carry(place: Place, exchange: Exchange, mustBeNew: boolean): void {
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
    if (this.sweeper !== null) return;
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

function headText(
  method: string,
  target: string,
  host: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | null,
): string {
  let ownHost = host;
  let text = '';
  let accepts = false;
  let encodings = false;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!NAME.test(name) || !VALUE.test(value))
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be sent.`);
    if (OWN_HEADERS.test(name)) {
      // An address stands in the URL of a request whose server is known by a name.
      if (name.toLowerCase() === 'host') ownHost = value;
      continue;
    }
    const lower = name.toLowerCase();
    if (lower === 'accept') accepts = true;
    else if (lower === 'accept-encoding') encodings = true;
    text += `${name}: ${value}\r\n`;
  }
  if (!accepts) text += 'accept: */*\r\n';
  if (!encodings) text += 'accept-encoding: identity\r\n';
  if (body !== null || !NO_CONTENT.test(method)) text += `content-length: ${body?.length ?? 0}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${ownHost}\r\n${text}\r\n`;
}
