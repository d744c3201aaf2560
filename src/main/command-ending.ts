import type { CommandEnding } from './cli/context.ts';

/** The exit codes of shells for a process that a signal has ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Returns the end of a command that runs until it is interrupted: by a signal, or by a reader that has closed the pipe (`| head`), which is
 * no failure. A second signal ends the process at once.
 */
export function listenForEnd(): CommandEnding {
  const aborter = new AbortController();
  const ending = { signal: aborter.signal, exitCode: 0 };
  const end = (exitCode: number) => {
    if (aborter.signal.aborted) return;
    ending.exitCode = exitCode;
    aborter.abort();
  };
  for (const [signal, exitCode] of Object.entries(EXIT_CODES)) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(exitCode));
      end(exitCode);
    });
  }
  process.stdout.on('error', () => end(0));
  process.stderr.on('error', () => undefined);
  return ending;
}
