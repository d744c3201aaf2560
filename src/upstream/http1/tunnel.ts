import { isIPv6 } from 'node:net';
import type { Socket, SocketHandler } from 'bun';
import type { HttpProxy } from '../proxies.ts';
import { MAX_HEAD_BYTES, parseHead } from './answer-head.ts';

/** What the proxy on the way has done, and not the upstream. */
export class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL';

  constructor(
    readonly problem: 'unreachable' | 'refused' | 'garbage',
    /** Of its refusal. */
    readonly status: number | null = null,
  ) {
    super(`the proxy: ${problem}`);
  }
}

/** Who wants a tunnel. One of the two is called, once. */
export interface TunnelUser {
  /** Nothing of what is sent over the socket is seen by the proxy as its own from here on. */
  tunnelled(socket: Socket<Tunnel>): void;
  lost(error: ProxyError): void;
}

/** Heads of the status 1xx before the one that counts. */
const MAX_INTERIM = 16;

/** The way through a proxy to a place whose TLS the proxy is not to see (`CONNECT`, RFC 9110, section 9.3.6). */
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

  /** Nobody wants it any more. Harmless once it is handed over. */
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
    // The first bytes of a connection always have room.
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
    // In TLS the client speaks first: what came along is not from behind the proxy.
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

/** One for all tunnels. After the handing over they see what is encrypted, and the end: both come to the TLS socket, too. */
const HANDLERS: SocketHandler<Tunnel> = {
  open: (socket) => socket.data.opened(socket),
  data: (socket, bytes) => socket.data.received(bytes),
  end: (socket) => socket.data.fail('unreachable'),
  close: (socket) => socket.data.fail('unreachable'),
  error: (socket) => socket.data.fail('unreachable'),
  connectError: (socket) => socket.data.fail('unreachable'),
};
