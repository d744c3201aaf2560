import type { StreamRelay } from '../../../formats/format.ts';
import { EventStreamToSse } from '../../../formats/shared/stream/aws-event-stream.ts';
import type { TextTarget } from '../../directory/target.ts';
import { WrappedRelay } from './wrapped-relay.ts';

/** Adapts a relay, which reads server-sent events, to the provider's framing. */
export function framed(relay: StreamRelay, { framing }: Pick<TextTarget, 'framing'>): StreamRelay {
  return framing === 'sse' ? relay : new UnframingRelay(relay);
}

class UnframingRelay extends WrappedRelay {
  private readonly frames = new EventStreamToSse();

  push(piece: Uint8Array): Uint8Array {
    return this.relay.push(this.frames.push(piece));
  }

  end(): Uint8Array {
    const rest = this.relay.push(this.frames.end());
    const end = this.relay.end();
    return rest.length === 0 ? end : Buffer.concat([rest, end]);
  }
}
