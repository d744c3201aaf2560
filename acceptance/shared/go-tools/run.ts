const LIMIT_MS = 900_000;

/** Runs a program outside of any Go module; resolves to its output. Throws with its errors if it fails. */
export async function output(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env },
    // Go resolves a version outside of any module only there.
    cwd: '/',
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0)
    throw new Error(`${command.join(' ')} ended with ${exitCode}:\n${(stdout + stderr).slice(-2_000)}`);
  return stdout;
}
