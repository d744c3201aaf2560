const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';

/**
 * Variables that the runtime reads only when the process starts (docs/decisions/001-runtime.md): Bun queues all fetches above 256 at a
 * time, its allocator returns freed memory after 10 ms, only to request it again for the next requests, and on a machine with 16 GB or more
 * its heap grows to three times what is alive before a full collection (078-memory-of-a-stream.md): 1 makes it twice, as on smaller
 * machines. The launcher (bin/switchyard.mjs) sets the same.
 */
export const RUNTIME_SETTINGS = {
  [VARIABLE]: '65535',
  MIMALLOC_PURGE_DELAY: '1000',
  BUN_JSC_heapGrowthMaxIncrease: '1',
} as const;

/**
 * Restarts the process with these settings, unless the launcher has set them: a compiled executable, or a bare `bun run`. Where the system
 * can, the new program replaces this one; otherwise resolves to the exit code of a second process. Returns `null` if none was needed.
 */
export function restartWithSettings(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> | null {
  if (environment[VARIABLE] || argv[0] !== 'serve') return null;
  const script = Bun.main.startsWith('/$bunfs/') || Bun.main.startsWith('B:/') ? [] : [Bun.main];
  const command = [process.execPath, ...script, ...argv];
  const env = withSettings(environment);
  replaceProcess(command, env);
  let child: Bun.Subprocess;
  try {
    child = Bun.spawn(command, {
      env,
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

/** Returns the variables of the restarted process. An empty setting counts as missing: otherwise that process would restart again. */
export function withSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const missing = Object.entries(RUNTIME_SETTINGS).filter(([name]) => !environment[name]);
  return Object.fromEntries([...set, ...missing]);
}

/** Replaces this process, which keeps its id, its output and the signals sent to it. Returns only if the system cannot. */
function replaceProcess(command: readonly string[], env: Record<string, string>): void {
  if (process.execve === undefined) return;
  try {
    process.execve(process.execPath, [...command], env);
  } catch {
    // A second process is started instead.
  }
}
