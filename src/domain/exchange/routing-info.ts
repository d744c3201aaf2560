import { asciiJson } from '../text/json-text.ts';

/** The channel in the contract's `_routing` object. */
export interface RoutedChannel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly channelType: 'PLATFORM' | 'PRIVATE';
}

/** The members about the changes of a request's model: `requestedModel` and `modelSteps`. */
export type ToldSteps = Readonly<Record<string, unknown>>;

/** The part of the routing facts that writers of answers need. */
export interface WrittenRouting {
  readonly json: string;
}

/**
 * The contract's `_routing` object: which channel answered, whether from the cache, and after how many retries. Immutable. All
 * requests of a channel without retries share one object, so that its JSON is made only once.
 */
export class RoutingFacts implements WrittenRouting {
  private text: string | null = null;
  private memberText: string | null = null;
  private bytes: Uint8Array | null = null;

  private constructor(
    readonly channel: RoutedChannel,
    readonly retryCount: number,
    /** The cache entry that the answer came from; `null` if the channel itself answered. */
    readonly cacheEntryId: string | null,
    /** The changes of the request's model; `null` for none. */
    private readonly steps: ToldSteps | null = null,
  ) {}

  /** Returns the facts for an answer at a channel's first attempt. */
  static of(channel: RoutedChannel): RoutingFacts {
    return new RoutingFacts(channel, 0, null);
  }

  get cached(): boolean {
    return this.cacheEntryId !== null;
  }

  withRetries(retryCount: number): RoutingFacts {
    if (retryCount === this.retryCount) return this;
    return new RoutingFacts(this.channel, retryCount, this.cacheEntryId, this.steps);
  }

  withCached(cacheEntryId: string): RoutingFacts {
    if (cacheEntryId === this.cacheEntryId) return this;
    return new RoutingFacts(this.channel, this.retryCount, cacheEntryId, this.steps);
  }

  /** Returns the facts for a request whose model has changed; the same facts if it has not. */
  withSteps(steps: ToldSteps | null): RoutingFacts {
    return steps === this.steps ? this : new RoutingFacts(this.channel, this.retryCount, this.cacheEntryId, steps);
  }

  /** ASCII only, so that it can also be sent in the header `x-routing`; made on first use. */
  get json(): string {
    this.text ??= this.written();
    return this.text;
  }

  /** The member of an answer with these facts, `"_routing":{…}`; made on first use. */
  get member(): string {
    this.memberText ??= `"_routing":${this.json}`;
    return this.memberText;
  }

  get memberBytes(): Uint8Array {
    this.bytes ??= new TextEncoder().encode(this.member);
    return this.bytes;
  }

  private written(): string {
    const { channel, cached, retryCount, cacheEntryId } = this;
    const entry = cacheEntryId !== null && { cacheEntryId };
    return asciiJson({ channel, cached, retryCount, ...entry, ...this.steps });
  }
}
