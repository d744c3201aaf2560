/** What holds of the section `server` where the configuration does not say otherwise. */
export const DEFAULT_SERVER = {
  maxUploadBytes: 512 * 1024 * 1024,
  /** Room for 400 files of 25 MB. */
  uploadDiskBytes: 10 * 1024 * 1024 * 1024,
  maxSocketsPerAccount: 100,
  shutdownGraceMs: 30_000,
  wrongKeysPerMinute: 60,
  /** A dashboard that stays open sends about 30, and one that somebody clicks through as fast as they can about 200. */
  managementRequestsPerMinute: 600,
  /** To sign in takes three; an office shares one address. */
  anonymousRequestsPerMinute: 300,
  /** A page has five files at most, each of which takes a client some milliseconds to some seconds. */
  anonymousRequestsInFlight: 200,
  sharedStateBytes: 384 * 1024 * 1024,
} as const;

/** Limits that a fast client of a test would reach. */
export interface CallerLimitDefaults {
  readonly managementRequestsPerMinute: number;
  readonly anonymousRequestsPerMinute: number;
}
