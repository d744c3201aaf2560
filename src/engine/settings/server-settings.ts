/** The defaults of the section `server`. */
export const DEFAULT_SERVER = {
  maxUploadBytes: 512 * 1024 * 1024,
  /** Room for 400 files of 25 MB. */
  uploadDiskBytes: 10 * 1024 * 1024 * 1024,
  maxSocketsPerAccount: 100,
  shutdownGraceMs: 30_000,
  shutdownWriteMs: 5_000,
  wrongKeysPerMinute: 60,
  /** An open dashboard sends about 30, and one that is clicked through as fast as possible about 200. */
  managementRequestsPerMinute: 600,
  /** Signing in takes three, and an office shares one address. */
  anonymousRequestsPerMinute: 300,
  /** A page has at most five files, each of which takes a client from milliseconds to seconds. */
  anonymousRequestsInFlight: 200,
  sharedStateBytes: 384 * 1024 * 1024,
} as const;

/** Limits that a fast test client would reach. */
export interface CallerLimitDefaults {
  readonly managementRequestsPerMinute: number;
  readonly anonymousRequestsPerMinute: number;
}
