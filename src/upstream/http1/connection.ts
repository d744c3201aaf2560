import type { Socket, SocketHandler } from 'bun';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import type { Place } from './place.ts';
import { ProxyError, Tunnel, type TunnelUser } from './tunnel.ts';

/** What a connection carries: a request that is to be sent, and who takes its answer. */
export interface Carried extends AnswerSink {
  /** Whether nobody waits for it any more. */
  readonly isOver: boolean;
  /** From the beginning again, over this connection. */
  carriedBy(connection: Connection): void;
  /** What of the request can be sent now; `null` where there is nothing. */
  unsent(): Uint8Array | null;
  /** Whether all of it was sent. */
  readonly isSent: boolean;
  sent(bytes: number): void;
  /** `isStale`: it was a kept connection, on which nothing of the answer has come. */
  failed(error: unknown, isStale: boolean): void;
}

/** What the owner of connections is told. */
export interface ConnectionOwner {
  /** It is there, and its way to the server is proved. */
  made(connection: Connection): void;
  /** It has carried an exchange to its end, and may carry another one. */
  rest(connection: Connection): void;
  /** It carries nothing any more. */
  gone(connection: Connection): void;
  /** Of a TLS session that the next connection to the place may continue. */
  session(place: Place): Buffer | null;
  keepSession(place: Place, session: Buffer): void;
}

/** How much of a large body is offered to the socket at once: TLS encrypts all that it is offered. */
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
 * One connection to a server, and the exchange that it carries at the moment. Made when an exchange needs it; after the exchange it
 * rests with its owner until the next one, or is closed.
 */
export class Connection implements TunnelUser {
  private socket: Socket<Connection> | null = null;
  private exchange: Carried | null = null;
  /** Until the socket is there. */
  private tunnel: Tunnel | null = null;
  /** From the first request on; one for all answers. */
  private reader: AnswerReader | null = null;
  private isClosed = false;
  private hasShaken = false;
  private hasSession = false;
  /** Exchanges that it has carried to their end. */
  uses = 0;
  /** When its owner lets it go, on the monotonic clock. */
  expiresAtMs = 0;

  constructor(
    readonly place: Place,
    private readonly owner: ConnectionOwner,
    /** How long the server keeps it when it rests. */
    public keptMs: number,
  ) {}

  /** Connects for the exchange, which is told of the end, good or bad. */
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
    // What is wrong comes to `connectError`, too.
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

  /** Whether who has opened it still waits for it. */
  get isWanted(): boolean {
    return this.exchange?.isOver === false;
  }

  unconnected(error: unknown): void {
    this.lost(this.place.proxy === null ? error : new ProxyError('unreachable'));
  }

  /** Carries the exchange. False where the connection turns out to be closed: nothing of it was sent then. */
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

  /** Nobody is to wait for it any more, and the process may end. */
  lie(): void {
    this.socket?.unref();
  }

  /** Cuts it, whatever it carries. */
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
      // Whoever wanted it has given up meanwhile; the next one need not wait.
      this.exchange = null;
      this.owner.rest(this);
      return;
    }
    if (exchange === null || !this.carry(exchange)) this.close();
  }

  received(bytes: Buffer): void {
    const { exchange, reader } = this;
    // Bytes that nobody has asked for: whoever used the connection next would take them for its answer.
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

  /** As much of the request as the socket takes. */
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

  /** The exchange has its answer. */
  done(isKept: boolean): void {
    const isClean = isKept && this.exchange?.isSent === true;
    this.exchange = null;
    this.uses++;
    this.keepSession();
    if (isClean) this.owner.rest(this);
    else this.close();
  }

  /** Whether more came than the answer; known once all that came with its end was read. */
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

  /** The connection is of no use any more. */
  lost(error: unknown): void {
    const { exchange } = this;
    this.exchange = null;
    this.close();
    exchange?.failed(error, this.uses > 0 && !(this.reader?.hasBegun ?? false));
  }

  /** A server that hangs up in the handshake, or has no TLS, says nothing else about it. */
  closedError(): Error {
    const isShaking = this.place.tls !== false && !this.hasShaken && this.socket !== null;
    return isShaking ? new FailedHandshake('ECONNRESET') : new ClosedConnection('the server has closed the connection');
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

/** One for all connections. */
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
