import { runCommandLine } from './cli/command-line.ts';
import { listenForEnd } from './command-ending.ts';
import { createDependencies } from './dependencies.ts';
import type { LineLogger } from './logging/logger.ts';
import { processLogger } from './logging/process-logger.ts';
import { listenForReload, listenForStop, stopWhenBroken } from './stop-signals.ts';
import { every, sleep, systemClock } from './system.ts';

interface Starting {
  /** Called when the command handles signals itself. */
  readonly stopEnding: () => void;
  /** Called when a gateway is about to listen. */
  readonly compileAsUsual: () => void;
}

/** Runs the command in the arguments, and ends the process. */
export async function run(argv: readonly string[], { stopEnding, compileAsUsual }: Starting): Promise<never> {
  const logger = loggerOrExit();
  const stopBreaking = stopWhenBroken(logger);
  const dependencies = createDependencies({
    argv,
    environment: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    logger,
    isTerminal: process.stdout.isTTY === true,
    clock: systemClock,
    sleep,
    every,
    stopRequest: () => {
      const request = listenForStop(logger);
      stopBreaking();
      stopEnding();
      compileAsUsual();
      return request;
    },
    onReloadRequest: listenForReload,
    ending: () => {
      const ending = listenForEnd();
      stopEnding();
      return ending;
    },
    requestStop: () => process.kill(process.pid, 'SIGINT'),
  });
  const exitCode = await runCommandLine(argv, dependencies);
  // Writes to a pipe are asynchronous: the process must wait for the last one.
  await Promise.all([process.stdout, process.stderr].map(ended));
  return process.exit(exitCode);
}

/** Ends the process if a variable is wrong. */
function loggerOrExit(): LineLogger {
  try {
    return processLogger(process.env, { isTerminal: process.stdout.isTTY === true });
  } catch (error) {
    process.stderr.write(`switchyard: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/** Resolves when everything was written, or there is no reader any more. */
function ended(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.end(() => resolve());
  });
}
