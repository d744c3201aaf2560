/** The contract's `_routing` object: which channel answered, from the cache or not, after how many retries. */
export interface RoutingInfo {
  readonly channel: {
    readonly id: string;
    readonly name: string;
    readonly provider: string;
    readonly channelType: 'PLATFORM' | 'PRIVATE';
  };
  readonly cached: boolean;
  readonly retryCount: number;
}
