import { PROJECT } from '../../conformance/shared/workspace.ts';

/** The results of a script of deploy/test, which prints a line per check. */
export interface ScriptChecks {
  /** The names of the checks that succeeded. */
  readonly passed: readonly string[];
  readonly exitCode: number;
  /** All output, for the message of a failure. */
  readonly output: string;
}

export async function runChecks(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ScriptChecks> {
  const child = Bun.spawn([...command], {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [standard, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  const passed = [...standard.matchAll(/^ok (.+)$/gm)].map(([, name = '']) => name);
  return { passed, exitCode, output: `${standard}${errors}` };
}
