import type { DirectorySource } from './directory-source.ts';

/** Runs refreshes one after another: whoever asks while one runs, waits for one that begins after that. */
export class DirectoryRefresh {
  private running: Promise<boolean> | null = null;
  private following: Promise<boolean> | null = null;

  constructor(private readonly source: Pick<DirectorySource, 'refresh'>) {}

  /** Resolves to whether models or channels had changed. Rejects if the store cannot be asked. */
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
