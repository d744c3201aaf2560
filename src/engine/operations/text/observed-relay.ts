import type { PartObserver } from '../../../domain/exchange/stream-part.ts';
import type { StreamDecoder, StreamRelay } from '../../../formats/format.ts';
import { WrappedRelay } from './wrapped-relay.ts';

/** A relay whose input is also decoded, for an observer of the answer's parts. The relayed bytes are unchanged. */
export class ObservedRelay extends WrappedRelay {
  constructor(
    relay: StreamRelay,
    private readonly decoder: StreamDecoder,
    private readonly observer: PartObserver,
  ) {
    super(relay);
  }

  push(piece: Uint8Array): Uint8Array {
    this.see(this.decoder.push(piece));
    return this.relay.push(piece);
  }

  end(): Uint8Array {
    this.see(this.decoder.end());
    return this.relay.end();
  }

  private see(parts: ReturnType<StreamDecoder['push']>): void {
    for (const part of parts) this.observer.see(part);
  }
}
