import { join } from 'node:path';

/** Like `killedWhen`, once the program has printed `lines` lines. */
export function killedAfter(lines: number, program: string, ...args: readonly string[]): Promise<string[]> {
  return killedWhen((said) => said.length >= lines, program, ...args);
}

/**
 * Runs a program of this folder that prints a line for each durable step, and kills it with SIGKILL once `isEnough`. Resolves to its
 * complete lines.
 */
export async function killedWhen(
  isEnough: (said: readonly string[]) => boolean,
  program: string,
  ...args: readonly string[]
): Promise<string[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const said: string[] = [];
  let rest = '';
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    const pieces = (rest + piece).split('\n');
    rest = pieces.pop() ?? '';
    said.push(...pieces);
    if (isEnough(said)) child.kill('SIGKILL');
  }
  await child.exited;
  if (child.signalCode !== 'SIGKILL') throw new Error(`${program} ended by itself: ${said.at(-1) ?? 'no output'}`);
  return said;
}
