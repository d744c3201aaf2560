/** What holds of the section `server` where the configuration does not say otherwise. */
export const DEFAULT_SERVER = {
  maxUploadBytes: 512 * 1024 * 1024,
  /** Room for 400 files of 25 MB. */
  uploadDiskBytes: 10 * 1024 * 1024 * 1024,
  maxSocketsPerAccount: 100,
  shutdownGraceMs: 30_000,
  wrongKeysPerMinute: 60,
  sharedStateBytes: 384 * 1024 * 1024,
} as const;
