import { type Bundle, decodeBundle } from '../shared/bundle.ts';

/** A build takes a second; ten times that on a machine that has much else to do. */
const PATIENCE_MS = 60_000;
const LONGEST_PROBLEM = 4_000;

export interface BuildResult {
  readonly bundle: Bundle;
  /** The bundle as a file. */
  readonly file: Uint8Array;
}

/** Builds in a process of its own. Nothing of the environment is handed on, so that nothing of it can get into a script. */
export async function runBuild(root: string, isFast: boolean): Promise<BuildResult | { readonly problem: string }> {
  const script = ['dashboard/build/main.ts', ...(isFast ? ['--fast'] : [])];
  // Names of chunks would depend on another working folder.
  const child = Bun.spawn([process.execPath, '--no-env-file', ...script], {
    cwd: root,
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  const [file, told] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  const exitCode = await child.exited;
  if (exitCode !== 0) return { problem: told.trim().slice(0, LONGEST_PROBLEM) || endOf(child) };
  const bundle = decodeBundle(file);
  return bundle === null ? { problem: 'the build has written no whole bundle' } : { bundle, file };
}

function endOf({ exitCode, signalCode }: Bun.Subprocess): string {
  return `the build ended with ${signalCode ?? `exit code ${exitCode}`}`;
}
