import { expect, test } from 'bun:test';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';

const moduleOf = (name: string) => path.join(PROJECT, 'src', 'main', name);

/** Stops like the gateway, with a drain that does not end by itself, and prints its steps. */
const PROGRAM = `
import { createLogger } from '${moduleOf('logging/logger.ts')}';
import { listenForStop } from '${moduleOf('stop-signals.ts')}';
const stop = listenForStop(createLogger('info'));
setTimeout(() => process.exit(99), 600_000);
BREAK;
console.log('waits');
const request = await stop;
if (request.drains) console.log('drains');
await request.drained;
console.log('settles');
process.exit(request.exitCode);
`;

/** Sends the first signal when the program waits, and the second when it drains. */
async function run(breaking: string, ...[first, second]: readonly NodeJS.Signals[]) {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM.replace('BREAK', breaking)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += piece;
    if (first !== undefined && piece.includes('waits')) child.kill(first);
    if (second !== undefined && piece.includes('drains')) child.kill(second);
  }
  return { exitCode: await child.exited, output, stderr: await child.stderr.text() };
}

const stepsIn = (output: string) => output.split('\n').filter((line) => line !== '');

test.each(['SIGINT', 'SIGQUIT', 'SIGUSR2'] as const)('%s requests an orderly stop without a drain', async (signal) => {
  const { exitCode, output } = await run('', signal);
  expect([exitCode, stepsIn(output)]).toEqual([0, ['waits', 'settles']]);
});

test.each(['SIGINT', 'SIGQUIT'] as const)('SIGTERM requests a drain, which %s ends at once', async (signal) => {
  const { exitCode, output } = await run('', 'SIGTERM', signal);
  expect([exitCode, stepsIn(output)]).toEqual([0, ['waits', 'drains', 'settles']]);
});

test.each([
  ['uncaught_exception', "setTimeout(() => { throw new Error('no /x?key=sk-secret-1') }, 10)"],
  ['unhandled_rejection', "setTimeout(() => void Promise.reject(new Error('no /x?key=sk-secret-1')), 10)"],
])('%s is logged without secrets, and the process stops in order with a non-zero exit code', async (kind, breaking) => {
  const { exitCode, output, stderr } = await run(breaking);
  expect([exitCode, output.includes('settles')]).toEqual([1, true]);
  const line = output.split('\n').find((text) => text.startsWith('{')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'error', reason: kind, error: 'Error: no /x?…' });
  expect(output + stderr).not.toContain('secret-1');
});

test('a closed reader of its output does not stop it', async () => {
  const write = "process.stdout.write('x'.repeat(9999), (error) => error && process.stderr.write('failed '))";
  const child = Bun.spawn([process.execPath, '-e', PROGRAM.replace('BREAK', `setInterval(() => ${write}, 5)`)], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  await child.stdout.cancel();
  let said = '';
  for await (const piece of child.stderr.pipeThrough(new TextDecoderStream())) {
    said += piece;
    if (said.includes('failed failed failed')) break;
  }
  expect(child.exitCode).toBeNull();
  child.kill('SIGINT');
  expect(await child.exited).toBe(0);
});

test('SIGHUP reloads the configuration and does not stop it', async () => {
  const reload = `
    const { listenForReload } = await import('${moduleOf('stop-signals.ts')}');
    listenForReload(() => { console.log('reads'); process.kill(process.pid, 'SIGINT'); })`;
  const { exitCode, output } = await run(reload, 'SIGHUP');
  expect([exitCode, stepsIn(output)]).toEqual([0, ['waits', 'reads', 'settles']]);
});
