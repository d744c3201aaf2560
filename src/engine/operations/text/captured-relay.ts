import { ResponseCollector } from '../../../domain/exchange/response-collector.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { CapturedAnswer, StreamDecoder, StreamRelay } from '../../../formats/text/format.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextLane } from './text-lane.ts';
import { WrappedRelay } from './wrapped-relay.ts';

/**
 * Wraps a lane so that its relays collect the answer of their stream in canonical form. `captured` returns it after the
 * stream has ended well, for any formats of client and upstream. `encodeAnswer` makes a whole answer of it for any
 * client, and `partsOfResponse` a stream. An answer that takes more than `maxBytes` of memory is not kept.
 */
export function capturing(lane: TextLane, { wire, channel, place, encoding }: TextTarget, maxBytes: number): TextLane {
  const source = { provider: channel.provider, channel: place, quirks: encoding.quirks };
  return {
    request: () => lane.request(),
    answer(bytes) {
      const answer = lane.answer(bytes);
      if (answer instanceof Failure || answer.response !== undefined) return answer;
      const response = wire.decodeAnswer(bytes, source);
      return response instanceof Failure ? answer : { ...answer, response };
    },
    stream() {
      const relay = lane.stream();
      const collector = new ResponseCollector(maxBytes);
      if (relay.observe === undefined) return new CapturedRelay(relay, collector, wire.decodeStream(source));
      relay.observe(collector);
      return new CapturedRelay(relay, collector, null);
    },
    streamOfWhole(bytes) {
      const streamed = lane.streamOfWhole(bytes);
      if (streamed instanceof Failure) return streamed;
      const collector = new ResponseCollector(maxBytes);
      for (const part of partsOfResponse(streamed.response)) collector.see(part);
      return { ...streamed, relay: new CapturedRelay(streamed.relay, collector, null) };
    },
  };
}

/**
 * A relay that collects its answer. If the relay only passes bytes, the upstream's bytes are decoded, not the client's:
 * the client may not have asked for everything that the upstream reports (its usage), or may get another framing.
 */
class CapturedRelay extends WrappedRelay {
  constructor(
    relay: StreamRelay,
    private readonly collector: ResponseCollector,
    /** Decodes the relay's input; `null` if the collector already sees the parts of the answer. */
    private readonly decoder: StreamDecoder | null,
  ) {
    super(relay);
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.decoder !== null && !this.collector.isOver) this.collect(this.decoder.push(piece));
    return this.relay.push(piece);
  }

  end(): Uint8Array {
    this.endOfInput();
    return this.relay.end();
  }

  override captured(): CapturedAnswer {
    const { relay, collector } = this;
    if (relay.failure !== null || !relay.finished) return null;
    if (collector.isTooLarge) return 'too-large';
    // Some end marks complete the client's stream before the decoder considers the upstream's answer complete.
    this.endOfInput();
    return collector.response;
  }

  private endOfInput(): void {
    if (this.decoder !== null && !this.collector.isOver) this.collect(this.decoder.end());
  }

  private collect(parts: ReturnType<StreamDecoder['push']>): void {
    for (const part of parts) this.collector.see(part);
  }
}
