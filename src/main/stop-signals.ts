import { describeError } from '../domain/text/describe-error.ts';
import type { Logger } from '../engine/ports/logger.ts';
import { StopRequest } from './stop-request.ts';

/** Signals that ask a process to end and can be handled: from a supervisor, or a terminal's keys. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;
/** The signal of supervisors, behind whose gateways a load balancer may still send requests. The others come from people and their tools. */
const DRAINING_SIGNAL = 'SIGTERM';

/** A repeated signal within this time was delivered twice: by the terminal to the whole process group, and by npm. */
const DOUBLE_DELIVERY_MS = 1_000;
/** The exit code that shells use for Ctrl-C. */
const EXIT_AT_ONCE = 130;

/**
 * Resolves to the request when the process must shut down: it was asked to, or an internal error has left it in an unknown state, in
 * which requests in flight must still be charged. A further signal ends the drain, or the process if there is none.
 */
export function listenForStop(logger: Logger): Promise<StopRequest> {
  return new Promise((resolve) => {
    let request: StopRequest | null = null;
    let countedAtMs = Number.NEGATIVE_INFINITY;
    const stop = (exitCode: number, drains: boolean) => {
      request?.endDrain();
      request ??= new StopRequest(exitCode, drains);
      resolve(request);
    };
    for (const signal of hasTerminal() ? [...STOP_SIGNALS, 'SIGHUP' as const] : STOP_SIGNALS) {
      const drains = signal === DRAINING_SIGNAL;
      process.on(signal, () => {
        // Only a supervisor's signal can be a double delivery of the one that began the drain.
        const endsDrain = request?.drains === true && !drains;
        if (!endsDrain && performance.now() - countedAtMs <= DOUBLE_DELIVERY_MS) return;
        countedAtMs = performance.now();
        if (request !== null && !request.drains) process.exit(EXIT_AT_ONCE);
        stop(0, drains);
      });
    }
    onInternalError((reason, error) => {
      logger.error({ reason, ...describeError(error) }, 'internal error: stopping the gateway');
      stop(1, false);
    });
    // A closed terminal or output pipe is no reason to stop.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  });
}

/**
 * Logs an uncaught error in the format of all other lines and ends the process, until the returned function is called: then the gateway
 * listens, and shuts down in order.
 */
export function stopWhenBroken(logger: Logger): () => void {
  return onInternalError((reason, error) => {
    logger.error({ reason, ...describeError(error) }, 'internal error: stopping the process');
    process.exit(1);
  });
}

/** Calls the listener for every error that no code has handled. Returns a function that ends this. */
function onInternalError(listener: (reason: string, error: unknown) => void): () => void {
  const thrown = (error: unknown) => listener('uncaught_exception', error);
  const rejected = (error: unknown) => listener('unhandled_rejection', error);
  process.on('uncaughtException', thrown);
  process.on('unhandledRejection', rejected);
  return () => {
    process.off('uncaughtException', thrown);
    process.off('unhandledRejection', rejected);
  };
}

/** Calls `reload` on SIGHUP, as other servers do; on a terminal the signal means that the terminal was closed. */
export function listenForReload(reload: () => unknown): void {
  if (!hasTerminal()) process.on('SIGHUP', reload);
}

function hasTerminal(): boolean {
  return process.stdin.isTTY === true;
}
