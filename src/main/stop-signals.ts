import { describeError } from '../domain/text/describe-error.ts';
import type { Logger } from '../engine/ports/logger.ts';

/** Signals that ask a process to end and can be handled: from a supervisor, or a terminal's keys. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** A repeated signal within this time was delivered twice: by the terminal to the whole process group, and by npm. */
const DOUBLE_DELIVERY_MS = 1_000;
/** The exit code that shells use for Ctrl-C. */
const EXIT_AT_ONCE = 130;

/**
 * Resolves to the exit code when the process must shut down: it was asked to, or an internal error has left it in an unknown state, in
 * which requests in flight must still be charged.
 */
export function listenForStop(logger: Logger): Promise<number> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    for (const signal of hasTerminal() ? [...STOP_SIGNALS, 'SIGHUP' as const] : STOP_SIGNALS) {
      process.on(signal, () => {
        // A second, later signal ends the process at once.
        if (askedAtMs !== null && performance.now() - askedAtMs > DOUBLE_DELIVERY_MS) process.exit(EXIT_AT_ONCE);
        askedAtMs ??= performance.now();
        resolve(0);
      });
    }
    const broken = (kind: string) => (error: unknown) => {
      logger.error({ kind, ...describeError(error) }, 'internal error: stopping the gateway');
      resolve(1);
    };
    process.on('uncaughtException', broken('uncaught_exception'));
    process.on('unhandledRejection', broken('unhandled_rejection'));
    // A closed terminal or output pipe is no reason to stop.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  });
}

/** Calls `reload` on SIGHUP, as other servers do; on a terminal the signal means that the terminal was closed. */
export function listenForReload(reload: () => unknown): void {
  if (!hasTerminal()) process.on('SIGHUP', reload);
}

function hasTerminal(): boolean {
  return process.stdin.isTTY === true;
}
