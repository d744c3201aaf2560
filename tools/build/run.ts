interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program and resolves to its standard output. Rejects with its error output if it fails. */
export async function run(command: readonly string[], { cwd, env = process.env }: RunOptions): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: { ...env }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return output;
  throw new Error(`"${command.join(' ')}" failed: ${errors.trim() || output.trim() || `exit code ${child.exitCode}`}`);
}
