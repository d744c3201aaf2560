import type { Failure } from '../../domain/failure/failure.ts';
import type { ClientStream, OutboundStream } from './client-stream.ts';
import type { PingedStream } from './pings.ts';

/**
 * A stream whose response headers were sent before an upstream answered, because the client had waited for the ping interval. The client
 * gets one ping at once and more while it waits. The stream of the answer, or an error frame, follows.
 */
export class LateStream implements OutboundStream, PingedStream {
  reads = 0;
  isWanted = false;
  onPing: ((bytes: Uint8Array) => void) | null = null;
  private stream: ClientStream | null = null;
  private frame: Uint8Array | null = null;
  private hasLeft = false;
  private readonly opened: Promise<void>;

  constructor(
    /** The stream, or the error frame that replaces it. Never rejects. */
    opening: Promise<ClientStream | Uint8Array>,
    private readonly pingBytes: Uint8Array,
  ) {
    this.opened = opening.then((opened) => this.take(opened));
  }

  get isCut(): boolean {
    return this.stream?.isCut ?? false;
  }

  next(): Promise<Uint8Array | null> {
    if (this.stream !== null) return this.stream.next();
    this.reads++;
    // The server sends the headers together with the first bytes of the body, so the first read returns a ping at once.
    if (this.reads === 1) return Promise.resolve(this.pingBytes);
    this.isWanted = true;
    return this.opened.then(() => {
      this.isWanted = false;
      return this.stream === null ? this.takeFrame() : this.stream.next();
    });
  }

  ping(): void {
    if (!this.hasLeft) this.onPing?.(this.pingBytes);
  }

  /** Before an upstream has answered, the attempts are cancelled by the client's abort signal, not by this method. */
  clientLeft(): void {
    this.hasLeft = true;
    this.stream?.clientLeft();
  }

  refuse(failure: Failure): Uint8Array | null {
    return this.stream?.refuse(failure) ?? null;
  }

  private take(opened: ClientStream | Uint8Array): void {
    if (opened instanceof Uint8Array) {
      this.frame = opened;
      return;
    }
    this.stream = opened;
    opened.onPing = (bytes) => this.onPing?.(bytes);
    if (this.hasLeft) opened.clientLeft();
  }

  private takeFrame(): Uint8Array | null {
    const { frame } = this;
    this.frame = null;
    return frame;
  }
}
