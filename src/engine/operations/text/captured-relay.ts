import { ResponseCollector } from '../../../domain/exchange/response-collector.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { CapturedAnswer, StreamDecoder, StreamRelay } from '../../../formats/format.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextLane } from './text-lane.ts';
import { WrappedRelay } from './wrapped-relay.ts';

/**
 * The lane, with relays that keep the answer of their stream in no provider's words: `captured` then gives it once the stream has
 * ended well, whatever formats the client and the upstream speak. `encodeAnswer` makes a whole answer of it for any client, and
 * `partsOfResponse` a stream. An answer that takes more of the memory than `maxBytes` is not kept.
 */
export function capturing(lane: TextLane, { wire, channel, encoding }: TextTarget, maxBytes: number): TextLane {
  const source = { provider: channel.provider, channel: channel.id, quirks: encoding.quirks };
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
 * A relay whose answer is collected on the way. Where only bytes pass, it is the upstream's that are decoded: of what it reports
 * the client may not have asked for all (its usage), or in another framing.
 */
class CapturedRelay extends WrappedRelay {
  constructor(
    relay: StreamRelay,
    private readonly collector: ResponseCollector,
    /** Of the relay's own input; `null` where the collector sees the answer's parts already. */
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
    // Some end marks end what the client sees before the decoder takes the upstream's answer for complete.
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
