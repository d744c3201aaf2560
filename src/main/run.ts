import { runCommandLine } from './cli/command-line.ts';
import { createDependencies } from './dependencies.ts';
import { createLogger, LOG_LEVELS } from './logging.ts';
import { listenForReload, listenForStop } from './stop-signals.ts';
import { every, sleep, systemClock } from './system.ts';

function logLevel(): string {
  const level = process.env.LOG_LEVEL || 'info';
  if (LOG_LEVELS.includes(level)) return level;
  process.stderr.write(
    `switchyard: LOG_LEVEL: must be one of ${LOG_LEVELS.join(', ')} (got ${JSON.stringify(level)})\n`,
  );
  process.exit(2);
}

/**
 * Runs the command in the arguments, and ends the process.
 *
 * @param stopEnding called when a gateway handles signals itself
 */
export async function run(argv: readonly string[], stopEnding: () => void): Promise<never> {
  const logger = createLogger(logLevel());
  const dependencies = createDependencies({
    argv,
    environment: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    logger,
    clock: systemClock,
    sleep,
    every,
    stopRequest: () => {
      const request = listenForStop(logger);
      stopEnding();
      return request;
    },
    onReloadRequest: listenForReload,
    requestStop: () => process.kill(process.pid, 'SIGINT'),
  });
  const exitCode = await runCommandLine(argv, dependencies);
  // Writes to a pipe are asynchronous: the process must wait for the last one.
  await Promise.all([process.stdout, process.stderr].map(ended));
  return process.exit(exitCode);
}

/** Resolves when everything was written, or there is no reader any more. */
function ended(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.end(() => resolve());
  });
}
