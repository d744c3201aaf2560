import type { ConfigurationFigures } from '../engine/admin/status/problems.ts';

/** When the configuration in effect was read, and whether the latest reload was rejected. */
export class LoadedConfiguration implements ConfigurationFigures {
  rejected: ConfigurationFigures['rejected'] = null;

  /** @param path the configuration file; `null` without one */
  constructor(
    readonly path: string | null,
    public loadedAtMs: number,
  ) {}

  loaded(atMs: number): void {
    this.loadedAtMs = atMs;
    this.rejected = null;
  }

  /** Records that a reload has changed nothing. */
  refused(atMs: number, problem: string): void {
    this.rejected = { atMs, problem };
  }
}
