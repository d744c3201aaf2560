import type { ClientStream, OutboundStream } from './client-stream.ts';
import type { PingedStream } from './pings.ts';

/**
 * A stream whose head has gone out before there was an answer, since the client has waited long enough. It gets pings until an
 * upstream answers, the first one at once, and then that stream, or the frame that says why there is none.
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
    /** The stream, or the frame in its place. Never rejects. */
    opening: Promise<ClientStream | Uint8Array>,
    private readonly pingBytes: Uint8Array,
  ) {
    this.opened = opening.then((opened) => this.take(opened));
  }

  next(): Promise<Uint8Array | null> {
    if (this.stream !== null) return this.stream.next();
    this.reads++;
    // The head reaches the client with the first bytes of the body.
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

  /** Before there is an answer, what is under way ends by the client's signal. */
  clientLeft(): void {
    this.hasLeft = true;
    this.stream?.clientLeft();
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
