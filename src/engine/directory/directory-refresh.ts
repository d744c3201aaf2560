import type { DirectorySource } from './directory-source.ts';

/** Runs one refresh at a time. A caller during a refresh waits for one that begins after it. */
export class DirectoryRefresh {
  private running: Promise<boolean> | null = null;
  private following: Promise<boolean> | null = null;

  constructor(private readonly source: Pick<DirectorySource, 'refresh'>) {}

  /** Resolves to whether models or channels have changed. Rejects if the store is unavailable. */
  run(): Promise<boolean> {
    const { running } = this;
    if (running === null) return this.start();
    this.following ??= running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.following;
  }

  private start(): Promise<boolean> {
    this.following = null;
    const running = this.source.refresh().finally(() => {
      if (this.running === running) this.running = null;
    });
    this.running = running;
    return running;
  }
}
