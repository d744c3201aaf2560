import type { Failure } from '../../domain/failure/failure.ts';
import type { SocketMessage, UpstreamSocket } from '../ports/upstream.ts';

/** The client's side of a session, as the transport sees it. */
export interface SessionClient {
  /** Returns a negative number if the client has unread data. */
  send(data: SocketMessage): number;
  close(code: number, reason: string): void;
}

/** How a session has ended. */
export interface SessionEnd {
  readonly by: 'client' | 'upstream' | 'gateway';
  readonly code: number;
  /** The messages that were passed on. */
  readonly fromClient: number;
  readonly fromUpstream: number;
}

/**
 * The most of the client's bytes that may wait for the upstream. Beyond this the session is closed, and the client may open a new one
 * later.
 */
export const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const LONGEST_REASON_BYTES = 120;
/** The code with which a session ends whose client has sent more than may wait. */
export const TRY_AGAIN_LATER = 1013;
const SERVICE_RESTART = 1012;
const POLICY = 1008;
const UNEXPECTED = 1011;
const CUT = 1006;

/** Connects a client's WebSocket with the upstream's: every message and the close are relayed unchanged. */
export class RealtimeSession {
  private client: SessionClient | null = null;
  private isOver = false;
  private fromClient = 0;
  private fromUpstream = 0;
  private heardAtMs: number;
  private readonly openedAtMs: number;

  constructor(
    private readonly upstream: UpstreamSocket,
    private readonly nowMs: () => number,
    private readonly cleaned: (text: string) => string,
    private readonly ended: (end: SessionEnd) => void,
  ) {
    this.openedAtMs = nowMs();
    this.heardAtMs = this.openedAtMs;
  }

  /** The client's bytes that the upstream has not taken yet. */
  get waitingBytes(): number {
    return this.upstream.waitingBytes;
  }

  opened(client: SessionClient): void {
    this.client = client;
    if (this.isOver) {
      client.close(SERVICE_RESTART, 'The session has ended.');
      return;
    }
    this.upstream.listen({
      message: (data) => {
        this.heardAtMs = this.nowMs();
        // The socket buffers data that the client has not read yet; meanwhile nothing is read from the upstream.
        if (this.isOver) return;
        this.fromUpstream++;
        const taken = client.send(data);
        if (taken < 0) this.upstream.pause();
        // The server has dropped the message, so the stream of messages is incomplete.
        else if (taken === 0 && data.length > 0) this.end('gateway', POLICY, 'A message was too large to relay.');
      },
      closed: (code, reason) => this.upstreamClosed(code, reason),
    });
  }

  message(data: SocketMessage): void {
    if (this.isOver) return;
    this.heardAtMs = this.nowMs();
    if (this.upstream.waitingBytes > MOST_WAITING_BYTES) {
      this.end('gateway', TRY_AGAIN_LATER, 'The upstream reads too slowly.');
    } else {
      this.fromClient++;
      this.upstream.send(data);
    }
  }

  drained(): void {
    if (!this.isOver) this.upstream.resume();
  }

  /** Called when the client has closed or disconnected. */
  closed(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.upstream.resume();
    this.upstream.close(sendable(code) ?? 1000, shortened(reason));
    this.ends('client', code);
  }

  /** Ends a session that has been silent or open for too long. */
  look({ idleMs, lifetimeMs }: { readonly idleMs: number; readonly lifetimeMs: number }): void {
    const nowMs = this.nowMs();
    if (nowMs - this.heardAtMs >= idleMs) this.end('gateway', POLICY, 'The session was idle for too long.');
    else if (nowMs - this.openedAtMs >= lifetimeMs)
      this.end('gateway', POLICY, 'The session reached its maximum duration.');
  }

  keyEnded(): void {
    this.end('gateway', POLICY, 'The API key is no longer valid.');
  }

  /** Called when the gateway shuts down. */
  cutOff({ message }: Failure): void {
    this.end('gateway', SERVICE_RESTART, message);
  }

  private upstreamClosed(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    const said = this.cleaned(reason);
    this.client?.close(
      told(code) ? code : UNEXPECTED,
      shortened(code === CUT ? 'The upstream dropped the connection.' : said),
    );
    this.ends('upstream', code);
  }

  private end(by: SessionEnd['by'], code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.client?.close(code, shortened(reason));
    this.upstream.resume();
    this.upstream.close(1000, '');
    this.ends(by, code);
  }

  private ends(by: SessionEnd['by'], code: number): void {
    const { fromClient, fromUpstream } = this;
    this.ended({ by, code, fromClient, fromUpstream });
  }
}

/** Returns whether a close code may be sent. Codes that only describe how a connection ended must not be (RFC 6455, 7.4.1). */
function told(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, CUT].includes(code)) || (code >= 3000 && code <= 4999);
}

/** Returns the code if a client may send it, else `null`. */
function sendable(code: number): number | null {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : null;
}

function shortened(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= LONGEST_REASON_BYTES
    ? reason
    : bytes
        .subarray(0, LONGEST_REASON_BYTES)
        .toString()
        .replace(/\uFFFD+$/, '');
}
