import type { Socket, SocketHandler } from 'bun';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import type { Place } from './place.ts';
import { ProxyError, Tunnel, type TunnelUser } from './tunnel.ts';

/** An exchange on a connection: a request to send, and the receiver of its answer. */
export interface Carried extends AnswerSink {
  /** Whether nothing waits for the answer any more. */
  readonly isOver: boolean;
  /** Restarts the request from the beginning over this connection. */
  carriedBy(connection: Connection): void;
  /** Returns the part of the request that can be sent now; `null` if nothing is left. */
  unsent(): Uint8Array | null;
  /** Whether the whole request was sent. */
  readonly isSent: boolean;
  sent(bytes: number): void;
  /** `isStale`: a reused connection failed before any byte of the answer arrived. */
  failed(error: unknown, isStale: boolean): void;
}

/** Receives the events of a connection. */
export interface ConnectionOwner {
  /** The connection is established and, if it uses TLS, verified. */
  made(connection: Connection): void;
  /** The connection has completed an exchange and can be reused. */
  rest(connection: Connection): void;
  /** The connection is closed. */
  gone(connection: Connection): void;
  /** Returns a TLS session that the next connection to the place may resume. */
  session(place: Place): Buffer | null;
  keepSession(place: Place, session: Buffer): void;
}

/** The largest part of a body that is offered to the socket at once: TLS encrypts all that it is offered. */
const OFFERED_BYTES = 256 * 1024;

class ClosedConnection extends Error {
  readonly code = 'ECONNRESET';
}

class FailedHandshake extends Error {
  constructor(readonly code: string) {
    super('the TLS handshake failed');
  }
}

/**
 * One connection to a server, and its current exchange. It is opened when an exchange needs it; afterwards it is kept idle for the next
 * one, or closed.
 */
export class Connection implements TunnelUser {
  private socket: Socket<Connection> | null = null;
  private exchange: Carried | null = null;
  /** Set until the socket exists. */
  private tunnel: Tunnel | null = null;
  /** Created with the first request and reused for all answers. */
  private reader: AnswerReader | null = null;
  private isClosed = false;
  private hasShaken = false;
  private hasSession = false;
  /** The number of completed exchanges. */
  uses = 0;
  /** When the owner closes the idle connection, on the monotonic clock. */
  expiresAtMs = 0;

  constructor(
    readonly place: Place,
    private readonly owner: ConnectionOwner,
    /** How long the server keeps an idle connection. */
    public keptMs: number,
  ) {}

  /** Connects for the exchange, which is notified of the result. */
  open(exchange: Carried): void {
    this.exchange = exchange;
    const { tls, proxy } = this.place;
    if (tls !== false && proxy !== null) {
      this.tunnel = new Tunnel(proxy, this.place, this);
      this.tunnel.open();
      return;
    }
    const { hostname, port } = proxy ?? this.place;
    const options = { hostname, port, socket: HANDLERS, data: this };
    // Errors are reported to `connectError` as well.
    (tls === false ? Bun.connect<Connection>(options) : Bun.connect<Connection>({ ...options, tls })).catch(
      (error: unknown) => this.unconnected(error),
    );
  }

  tunnelled(socket: Socket<Tunnel>): void {
    this.tunnel = null;
    const { tls } = this.place;
    if (tls === false) throw new Error('a tunnel is for TLS');
    socket.upgradeTLS<Connection>({ tls, data: this, socket: HANDLERS });
  }

  /** Whether the exchange that opened the tunnel still waits for it. */
  get isWanted(): boolean {
    return this.exchange?.isOver === false;
  }

  unconnected(error: unknown): void {
    this.lost(this.place.proxy === null ? error : new ProxyError('unreachable'));
  }

  /** Carries the exchange. Returns false if the connection turns out to be closed, in which case nothing was sent. */
  carry(exchange: Carried): boolean {
    const { socket } = this;
    if (this.isClosed || socket === null) return false;
    socket.ref();
    this.exchange = exchange;
    this.reader ??= new AnswerReader();
    this.reader.begin(exchange);
    exchange.carriedBy(this);
    this.flush();
    return true;
  }

  /** Lets the process exit while the connection is idle. */
  lie(): void {
    this.socket?.unref();
  }

  /** Closes the connection, whatever it carries. */
  cut(): void {
    this.exchange = null;
    this.close();
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  opened(socket: Socket<Connection>): void {
    this.socket = socket;
    if (this.isClosed) {
      socket.terminate();
      return;
    }
    if (this.place.tls === false) {
      this.ready();
      return;
    }
    const session = this.owner.session(this.place);
    if (session !== null) socket.setSession(session);
  }

  shaken(error: Error | null): void {
    if (this.isClosed) return;
    if (error !== null) {
      this.lost(new FailedHandshake(codeOf(error, 'ERR_TLS_HANDSHAKE')));
      return;
    }
    this.hasShaken = true;
    this.ready();
  }

  private ready(): void {
    const { exchange } = this;
    this.owner.made(this);
    if (exchange?.isOver) {
      // The exchange gave up meanwhile; the connection is kept for the next one.
      this.exchange = null;
      this.owner.rest(this);
      return;
    }
    if (exchange === null || !this.carry(exchange)) this.close();
  }

  received(bytes: Buffer): void {
    const { exchange, reader } = this;
    // Unsolicited bytes: the next exchange would mistake them for its answer.
    if (exchange === null || reader === null) {
      this.close();
      return;
    }
    try {
      reader.push(bytes);
    } catch (error) {
      this.lost(error);
    }
  }

  /** Writes as much of the request as the socket accepts. */
  flush(): void {
    const { exchange, socket } = this;
    if (exchange === null || socket === null) return;
    for (;;) {
      const piece = exchange.unsent();
      if (piece === null) return;
      const offered = piece.length > OFFERED_BYTES ? piece.subarray(0, OFFERED_BYTES) : piece;
      const taken = socket.write(offered);
      if (taken > 0) exchange.sent(taken);
      if (taken < offered.length) return;
    }
  }

  /** Called when the exchange has its answer. */
  done(isKept: boolean): void {
    const isClean = isKept && this.exchange?.isSent === true;
    this.exchange = null;
    this.uses++;
    this.keepSession();
    if (isClean) this.owner.rest(this);
    else this.close();
  }

  /** Whether more bytes arrived than the answer has; reliable once all bytes that came with its end have been read. */
  get hasSurplus(): boolean {
    return this.reader?.hasSurplus ?? false;
  }

  ended(): void {
    const { exchange, reader } = this;
    if (exchange === null || reader === null) {
      this.lost(this.closedError());
      return;
    }
    try {
      reader.close();
    } catch (error) {
      this.lost(error);
    }
  }

  /** Closes the connection and fails its exchange. */
  lost(error: unknown): void {
    const { exchange } = this;
    this.exchange = null;
    this.close();
    exchange?.failed(error, this.uses > 0 && !(this.reader?.hasBegun ?? false));
  }

  /** Returns the error for a closed connection; during the handshake it means a server that hangs up or has no TLS. */
  closedError(): Error {
    const isShaking = this.place.tls !== false && !this.hasShaken && this.socket !== null;
    return isShaking ? new FailedHandshake('ECONNRESET') : new ClosedConnection('the server closed the connection');
  }

  private keepSession(): void {
    if (this.place.tls === false || this.hasSession) return;
    this.hasSession = true;
    const session = this.socket?.getSession() as Buffer | undefined;
    if (session !== undefined) this.owner.keepSession(this.place, session);
  }

  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.owner.gone(this);
    this.tunnel?.close();
    this.socket?.terminate();
  }
}

function codeOf(error: unknown, otherwise: string): string {
  return error instanceof Error && 'code' in error ? String(error.code) : otherwise;
}

/** Shared by all connections. */
const HANDLERS: SocketHandler<Connection> = {
  open: (socket) => socket.data.opened(socket),
  handshake: (socket, isGood, error) =>
    socket.data.shaken(isGood ? null : (error ?? new FailedHandshake('ERR_TLS_HANDSHAKE'))),
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.flush(),
  end: (socket) => socket.data.ended(),
  close: (socket, error) => socket.data.lost(error ?? socket.data.closedError()),
  error: (socket, error) => socket.data.lost(error),
  connectError: (socket, error) => socket.data.unconnected(error),
};
