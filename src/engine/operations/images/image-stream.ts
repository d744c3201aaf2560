import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer } from '../../../domain/images/images.ts';
import { type Billable, NOTHING_BILLABLE } from '../../../domain/money/quantity.ts';
import type { ImageStreamEvent, ImageStreamReader } from '../../../formats/images/wire.ts';
import type { KnownStream, ResponseStream, WholeResponse } from '../../call/lane.ts';

/** A stream of images with its billable quantities. */
export interface ImageStream extends ResponseStream {
  readonly billable: Billable;
  /** Whether the upstream has reported the charged usage. */
  readonly isReported: boolean;
}

export interface RelayedStream {
  readonly reader: ImageStreamReader;
  /** The number of requested images, after which the stream ends. */
  readonly count: number;
  readonly routing: RoutingFacts;
  billableOf(made: Omit<ImageAnswer, 'images'>, count: number): Billable;
}

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();
const CLOSING_BRACE = '}'.charCodeAt(0);

/** Relays the upstream's events unchanged, except for `_routing` in the last one. */
export class RelayedImages implements ImageStream {
  started = false;
  finished = false;
  /** A finished image, which may be the last event. */
  private held: ImageStreamEvent | null = null;
  private completed = 0;
  /** Whether a partial image was relayed without its finished image. */
  private hasBegun = false;

  constructor(private readonly of: RelayedStream) {}

  get failure(): Failure | null {
    return this.of.reader.failure;
  }

  get served(): ServedAs {
    return { model: this.of.reader.result.model, serviceTier: null };
  }

  get billable(): Billable {
    const { count, ...made } = this.of.reader.result;
    // The last partial image looks nearly like the finished one, so a client that leaves after it pays for the image.
    return this.of.billableOf(made, this.hasBegun && this.failure === null ? count + 1 : count);
  }

  get isReported(): boolean {
    return this.of.reader.result.tokens !== null;
  }

  push(piece: Uint8Array): Uint8Array {
    return this.taken(this.of.reader.push(piece));
  }

  end(): Uint8Array {
    const out = this.taken(this.of.reader.end());
    if (this.finished || this.failure !== null) return out;
    this.finished = true;
    const last = this.held;
    this.held = null;
    return last === null ? out : Buffer.concat([out, withRouting(last.bytes, this.of.routing)]);
  }

  private taken(events: readonly ImageStreamEvent[]): Uint8Array {
    const out: Uint8Array[] = [];
    for (const event of events) {
      if (this.finished) break;
      this.started ||= event.isPartial || event.isCompleted;
      if (this.held !== null) out.push(this.held.bytes);
      this.held = event.isCompleted ? event : null;
      if (event.isCompleted || event.isPartial) this.hasBegun = event.isPartial;
      if (!event.isCompleted) out.push(event.bytes);
      else if (++this.completed >= this.of.count) {
        out.push(withRouting(event.bytes, this.of.routing));
        this.held = null;
        this.finished = true;
      }
    }
    if (out.length === 0) return NOTHING;
    return out.length === 1 && out[0] !== undefined ? out[0] : Buffer.concat(out);
  }
}

/** Returns the event with `_routing` as the last member of its data. */
function withRouting(event: Uint8Array, { json }: RoutingFacts): Uint8Array {
  const at = event.lastIndexOf(CLOSING_BRACE);
  if (at < 0) return event;
  return Buffer.concat([event.subarray(0, at), utf8.encode(`,"_routing":${json}`), event.subarray(at)]);
}

/** Returns the stream of a whole answer, whose body is its events. */
export function streamOfAnswer({ body, billable, served }: WholeResponse): KnownStream<ImageStream> {
  const relay: ImageStream = {
    ...{ push: () => NOTHING, end: () => NOTHING, failure: null, finished: true, started: true },
    ...{ served, billable: billable ?? NOTHING_BILLABLE, isReported: billable?.source === 'reported' },
  };
  return { relay, bytes: typeof body === 'string' ? utf8.encode(body) : body };
}
