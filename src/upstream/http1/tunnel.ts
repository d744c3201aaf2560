import { isIPv6 } from 'node:net';
import type { Socket, SocketHandler } from 'bun';
import type { HttpProxy } from '../proxies.ts';
import { MAX_HEAD_BYTES, parseHead } from './answer-head.ts';

/** The proxy, not the upstream, caused the failure. */
export class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL';

  constructor(
    readonly problem: 'unreachable' | 'refused' | 'garbage',
    /** The status of the proxy's refusal. */
    readonly status: number | null = null,
  ) {
    super(`the proxy: ${problem}`);
  }
}

/** Receives the result of a tunnel: one of the two methods is called, once. */
export interface TunnelUser {
  /** Passes on the socket; from then on the proxy forwards all bytes. */
  tunnelled(socket: Socket<Tunnel>): void;
  lost(error: ProxyError): void;
}

/** The limit for 1xx heads before the final one. */
const MAX_INTERIM = 16;

/** A connection through a proxy to a place whose TLS the proxy cannot read (`CONNECT`, RFC 9110, section 9.3.6). */
export class Tunnel {
  private socket: Socket<Tunnel> | null = null;
  private begun: Buffer = Buffer.alloc(0);
  private interim = 0;
  private isOver = false;

  constructor(
    private readonly proxy: HttpProxy,
    private readonly target: { readonly hostname: string; readonly port: number },
    private readonly user: TunnelUser,
  ) {}

  open(): void {
    const { hostname, port } = this.proxy;
    Bun.connect<Tunnel>({ hostname, port, socket: HANDLERS, data: this }).catch(() => this.fail('unreachable'));
  }

  /** Closes an unwanted tunnel. Has no effect once the socket was passed on. */
  close(): void {
    this.isOver = true;
    this.socket?.terminate();
    this.socket = null;
  }

  opened(socket: Socket<Tunnel>): void {
    if (this.isOver) {
      socket.terminate();
      return;
    }
    this.socket = socket;
    const { hostname, port } = this.target;
    const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
    const { authorization } = this.proxy;
    const credentials = authorization === null ? '' : `proxy-authorization: ${authorization}\r\n`;
    const head = Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`, 'latin1');
    // The send buffer of a new connection always has room.
    if (socket.write(head) < head.length) this.fail('unreachable');
  }

  received(bytes: Buffer): void {
    if (this.isOver) return;
    try {
      this.read(bytes);
    } catch {
      this.fail('garbage');
    }
  }

  private read(bytes: Buffer): void {
    let all = this.begun.length === 0 ? bytes : Buffer.concat([this.begun, bytes]);
    for (;;) {
      const end = all.indexOf('\r\n\r\n', 0, 'latin1');
      if (end < 0) break;
      const { status } = parseHead(all.toString('latin1', 0, end));
      all = all.subarray(end + 4);
      if (status >= 200) {
        this.answered(status, all.length);
        return;
      }
      if (++this.interim > MAX_INTERIM) throw new ProxyError('garbage');
    }
    if (all.length > MAX_HEAD_BYTES) throw new ProxyError('garbage');
    this.begun = all;
  }

  private answered(status: number, surplus: number): void {
    const { socket } = this;
    if (socket === null) return;
    if (status >= 300) this.fail('refused', status);
    // In TLS the client speaks first, so surplus bytes are not from behind the proxy.
    else if (surplus > 0) this.fail('garbage');
    else {
      this.isOver = true;
      this.socket = null;
      this.user.tunnelled(socket);
    }
  }

  fail(problem: ProxyError['problem'], status: number | null = null): void {
    if (this.isOver) return;
    this.close();
    this.user.lost(new ProxyError(problem, status));
  }
}

/** Shared by all tunnels. After the socket was passed on, they see encrypted data and the end, both of which reach the TLS socket, too. */
const HANDLERS: SocketHandler<Tunnel> = {
  open: (socket) => socket.data.opened(socket),
  data: (socket, bytes) => socket.data.received(bytes),
  end: (socket) => socket.data.fail('unreachable'),
  close: (socket) => socket.data.fail('unreachable'),
  error: (socket) => socket.data.fail('unreachable'),
  connectError: (socket) => socket.data.fail('unreachable'),
};
