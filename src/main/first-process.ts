/** Signals that end a process unless it handles them, with the exit codes that shells report for them. */
const EXIT_CODES = { SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

/**
 * Lets signals end this process if it is the first one of a container: for that one, the kernel ignores signals that have no handler. So a
 * command can be interrupted, and a gateway can be stopped before it listens. Returns a function that removes the handlers, for a process
 * that has handlers of its own by then.
 */
export function endOnSignals(pid = process.pid): () => void {
  if (pid !== 1) return () => {};
  const handlers = Object.entries(EXIT_CODES).map(([signal, code]) => [signal, () => process.exit(code)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
