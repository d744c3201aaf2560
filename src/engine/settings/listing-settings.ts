/** How models are shown to clients, and when one is recommended (docs/models.md). */
export interface ListingSettings {
  /** The member of a Model object that holds the gateway's own metadata: the service's brand name (contract, Model object). */
  readonly vendorKey: string;
  /** A model with fewer requests in the last 24 hours has no score. */
  readonly minimumSamples: number;
  /** How old the count of successes may become before it is recomputed. */
  readonly refreshMs: number;
}

export const DEFAULT_LISTING: ListingSettings = { vendorKey: 'vendor', minimumSamples: 20, refreshMs: 300_000 };
