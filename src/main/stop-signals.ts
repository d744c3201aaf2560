import { describeError } from '../domain/text/describe-error.ts';
import type { Logger } from '../engine/ports/logger.ts';

/** What asks a process to end and may be answered: by a supervisor, or a terminal's keys. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** A signal again within this time is one that came on two ways: from the terminal to the whole group, and through npm. */
const DOUBLE_DELIVERY_MS = 1_000;
/** As shells have it for an end by Ctrl-C. */
const EXIT_AT_ONCE = 130;

/**
 * Resolves, with the exit code, when the process is to stop in order: it was asked to, or a mistake of ours has left it in an
 * unknown state, which must not cost the requests that run their accounts.
 */
export function listenForStop(logger: Logger): Promise<number> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    for (const signal of hasTerminal() ? [...STOP_SIGNALS, 'SIGHUP' as const] : STOP_SIGNALS) {
      process.on(signal, () => {
        // The second time the person means it.
        if (askedAtMs !== null && performance.now() - askedAtMs > DOUBLE_DELIVERY_MS) process.exit(EXIT_AT_ONCE);
        askedAtMs ??= performance.now();
        resolve(0);
      });
    }
    const broken = (kind: string) => (error: unknown) => {
      logger.error({ kind, ...describeError(error) }, 'internal error: the gateway stops');
      resolve(1);
    };
    process.on('uncaughtException', broken('uncaught_exception'));
    process.on('unhandledRejection', broken('unhandled_rejection'));
    // A terminal that was closed, or a reader of the output that has gone, is no reason to stop.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  });
}

/** SIGHUP asks for the configuration to be read again, as of other servers; from a terminal it says that the terminal was closed. */
export function listenForReload(reload: () => unknown): void {
  if (!hasTerminal()) process.on('SIGHUP', reload);
}

function hasTerminal(): boolean {
  return process.stdin.isTTY === true;
}
