import { closeSync, openSync } from 'node:fs';
import type { Logger } from '../../engine/ports/logger.ts';
import { CommandError } from '../cli/command-error.ts';
import { BatchedOutput } from './batched-output.ts';

/** Its users may read it; it has addresses of clients. */
const FILE_MODE = 0o640;

/** The file of the access log. Several processes may append to the same one: each writes whole lines. */
export class AccessLogFile {
  #descriptor: number;
  readonly #output: BatchedOutput;

  /** Throws `CommandError` if the file cannot be opened. */
  constructor(
    private readonly path: string,
    private readonly logger: Logger,
  ) {
    try {
      this.#descriptor = openSync(path, 'a', FILE_MODE);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(
        `logs.access_log: ${path}: cannot be opened (${reason}). Name a file that the gateway may write`,
      );
    }
    this.#output = new BatchedOutput(
      (dropped) => logger.warn({ path, dropped }, 'lines of the access log were dropped: its file cannot be written'),
      this.#descriptor,
    );
  }

  readonly write = (line: string): void => this.#output.write(line);

  /** Continues in a new file if the old one was renamed, as programs that rotate logs do. */
  reopen(): void {
    let next: number;
    try {
      next = openSync(this.path, 'a', FILE_MODE);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.error({ path: this.path, reason }, 'the access log could not be opened again; the old file is used');
      return;
    }
    const before = this.#descriptor;
    this.#descriptor = next;
    this.#output.continueIn(next, () => closeSync(before));
  }

  /** Resolves when all lines are written, or lost. */
  close(): Promise<void> {
    return this.#output.written();
  }
}
