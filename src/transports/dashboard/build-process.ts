import { type Bundle, decodeBundle } from '../shared/bundle.ts';

/** A build takes about a second; allows for a heavily loaded machine. */
const PATIENCE_MS = 60_000;
const LONGEST_PROBLEM = 4_000;

export interface BuildResult {
  readonly bundle: Bundle;
  /** The bundle, encoded as a file. */
  readonly file: Uint8Array;
}

/** Builds in a child process with an empty environment, so that no environment variable can end up in a script. */
export async function runBuild(root: string, isFast: boolean): Promise<BuildResult | { readonly problem: string }> {
  const script = ['dashboard/build/main.ts', ...(isFast ? ['--fast'] : [])];
  // The working folder is part of the generated chunk names.
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
  return bundle === null ? { problem: 'the build did not write a complete bundle' } : { bundle, file };
}

function endOf({ exitCode, signalCode }: Bun.Subprocess): string {
  return `the build ended with ${signalCode ?? `exit code ${exitCode}`}`;
}
