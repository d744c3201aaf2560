import type { ObjectNaming, StreamRelay } from '../../../formats/format.ts';
import { parseJson } from '../../../formats/shared/json/json-text.ts';
import { EventReader, EventTooLarge } from '../../../formats/shared/stream/sse.ts';
import { WrappedRelay } from './wrapped-relay.ts';

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
