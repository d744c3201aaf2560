const LONGEST_MS = 300_000;

/**
 * Holds an upstream's responses back until a test releases them, or for a maximum time so that no test hangs.
 */
export class Gate {
  private open: () => void = () => undefined;
  private opened: Promise<void> = Promise.resolve();

  close(): void {
    const timer = setTimeout(() => this.release(), LONGEST_MS);
    this.opened = new Promise((resolve) => {
      this.open = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  release(): void {
    this.open();
  }

  /** Resolves while the gate is open. */
  readonly pass = (): Promise<void> => this.opened;
}
