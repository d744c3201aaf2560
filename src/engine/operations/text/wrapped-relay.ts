import type { PartObserver } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { parseJson } from '../../../formats/shared/json/json-text.ts';
import { EventStreamToSse } from '../../../formats/shared/stream/aws-event-stream.ts';
import { EventReader, EventTooLarge } from '../../../formats/shared/stream/sse.ts';
import type { CapturedAnswer, StreamDecoder, StreamRelay } from '../../../formats/text/format.ts';
import type { ObjectNaming } from '../../../formats/text/provider-state.ts';
import type { TextTarget } from '../../directory/target.ts';

/** The base of a relay around another one. It delegates everything except `push` and `end`. */
export abstract class WrappedRelay implements StreamRelay {
  constructor(protected readonly relay: StreamRelay) {}

  abstract push(piece: Uint8Array): Uint8Array;
  abstract end(): Uint8Array;

  encodeFailure(failure: Failure): string | null {
    return this.relay.encodeFailure?.(failure) ?? null;
  }

  get failure() {
    return this.relay.failure;
  }

  get finished() {
    return this.relay.finished;
  }

  get opened() {
    return this.relay.opened === true;
  }

  get mayEnd() {
    return this.relay.mayEnd === true;
  }

  get usage() {
    return this.relay.usage;
  }

  get served() {
    return this.relay.served;
  }

  get started() {
    return this.relay.started;
  }

  get produced() {
    return this.relay.produced;
  }

  get awaitsUsage() {
    return this.relay.awaitsUsage === true;
  }

  counted(usage: Usage): void {
    this.relay.counted?.(usage);
  }

  lastFrames(): Uint8Array {
    return this.relay.lastFrames?.() ?? new Uint8Array(0);
  }

  get answerJson() {
    return this.relay.answerJson ?? null;
  }

  captured(): CapturedAnswer {
    return this.relay.captured?.() ?? null;
  }
}

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

/**
 * A relay that collects the ids of objects in its stream. Use it only for streams that may contain some, because every
 * event is parsed once more.
 */
export class WatchedRelay extends WrappedRelay {
  private readonly found = new Set<string>();
  private readonly reader = new EventReader();

  constructor(
    relay: StreamRelay,
    private readonly objects: ObjectNaming,
  ) {
    super(relay);
  }

  /** The ids without duplicates. */
  get issued(): readonly string[] {
    return [...this.found];
  }

  push(piece: Uint8Array): Uint8Array {
    return this.see(this.relay.push(piece));
  }

  end(): Uint8Array {
    return this.see(this.relay.end());
  }

  override lastFrames(): Uint8Array {
    return this.see(super.lastFrames());
  }

  private see(bytes: Uint8Array): Uint8Array {
    try {
      this.reader.push(bytes, ({ data }) => {
        for (const id of this.objects.issued(parseJson(data))) this.found.add(id);
      });
    } catch (error) {
      // The wrapped relay reports this failure itself.
      if (!(error instanceof EventTooLarge)) throw error;
    }
    return bytes;
  }
}
