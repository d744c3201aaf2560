const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';

/**
 * What the runtime reads only when the process starts (docs/decisions/001-runtime.md): Bun queues all fetches above 256 at a time, and its
 * allocator gives freed memory back after 10 ms, to ask for the same again with the next requests. The launcher (bin/switchyard.mjs) sets
 * the same.
 */
export const RUNTIME_SETTINGS = { [VARIABLE]: '65535', MIMALLOC_PURGE_DELAY: '1000' } as const;

/**
 * The launcher starts a process with these settings; a compiled executable, or a bare `bun run`, starts itself once more. Returns the exit
 * code of that second process, or `null` where none was needed.
 */
export function restartWithSettings(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> | null {
  if (environment[VARIABLE] || argv[0] !== 'serve') return null;
  const script = Bun.main.startsWith('/$bunfs/') || Bun.main.startsWith('B:/') ? [] : [Bun.main];
  const child = Bun.spawn([process.execPath, ...script, ...argv], {
    env: { ...RUNTIME_SETTINGS, ...environment },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => child.kill(signal));
  // The terminal gives Ctrl-C and Ctrl-\ to parent and child alike; the parent only has to stay until the child is done.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      if (!process.stdin.isTTY) child.kill(signal);
    });
  }
  return child.exited;
}
