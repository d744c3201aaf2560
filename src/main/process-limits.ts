const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';

/**
 * Variables that the runtime reads only when the process starts (docs/decisions/001-runtime.md): Bun queues all fetches above 256 at a
 * time, and its allocator returns freed memory after 10 ms, only to request it again for the next requests. The launcher
 * (bin/switchyard.mjs) sets the same.
 */
export const RUNTIME_SETTINGS = { [VARIABLE]: '65535', MIMALLOC_PURGE_DELAY: '1000' } as const;

/**
 * Restarts the process with these settings, unless the launcher has set them: a compiled executable, or a bare `bun run`. Resolves to the
 * exit code of the second process; returns `null` if none was needed.
 */
export function restartWithSettings(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> | null {
  if (environment[VARIABLE] || argv[0] !== 'serve') return null;
  const script = Bun.main.startsWith('/$bunfs/') || Bun.main.startsWith('B:/') ? [] : [Bun.main];
  let child: Bun.Subprocess;
  try {
    child = Bun.spawn([process.execPath, ...script, ...argv], {
      env: { ...RUNTIME_SETTINGS, ...environment },
      stdio: ['inherit', 'inherit', 'inherit'],
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const instead = Object.entries(RUNTIME_SETTINGS).map((setting) => setting.join('='));
    process.stderr.write(`switchyard: no second process could be started (${reason}): set ${instead.join(' and ')}\n`);
    return Promise.resolve(1);
  }
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => child.kill(signal));
  // The terminal sends Ctrl-C and Ctrl-\ to parent and child alike; the parent only has to wait for the child.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      if (!process.stdin.isTTY) child.kill(signal);
    });
  }
  return child.exited;
}
