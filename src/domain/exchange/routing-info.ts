import { asciiJson } from '../text/ascii-json.ts';

/** The channel of the contract's `_routing` object. */
export interface RoutedChannel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly channelType: 'PLATFORM' | 'PRIVATE';
}

/** What a writer of answers needs of the routing facts. */
export interface WrittenRouting {
  readonly json: string;
}

/**
 * The contract's `_routing` object: which channel answered, from the cache or not, after how many retries. Immutable. One
 * object serves all requests of a channel that needed no retry, so that its JSON is made once and not for each of them.
 */
export class RoutingFacts implements WrittenRouting {
  private text: string | null = null;

  private constructor(
    readonly channel: RoutedChannel,
    readonly retryCount: number,
    /** The entry of the cache that the answer came from; `null` where the channel itself answered. */
    readonly cacheEntryId: string | null,
  ) {}

  /** What is said of an answer that the channel gave at its first attempt. */
  static of(channel: RoutedChannel): RoutingFacts {
    return new RoutingFacts(channel, 0, null);
  }

  get cached(): boolean {
    return this.cacheEntryId !== null;
  }

  withRetries(retryCount: number): RoutingFacts {
    return retryCount === this.retryCount ? this : new RoutingFacts(this.channel, retryCount, this.cacheEntryId);
  }

  withCached(cacheEntryId: string): RoutingFacts {
    return cacheEntryId === this.cacheEntryId ? this : new RoutingFacts(this.channel, this.retryCount, cacheEntryId);
  }

  /** ASCII only, so that it can also stand in the header `x-routing`; made at first use. */
  get json(): string {
    this.text ??= this.written();
    return this.text;
  }

  private written(): string {
    const { channel, cached, retryCount, cacheEntryId } = this;
    return asciiJson({ channel, cached, retryCount, ...(cacheEntryId !== null && { cacheEntryId }) });
  }
}
