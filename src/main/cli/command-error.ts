/** Ends a command with its message as one line on standard error, and this exit code. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
