import { expect, test } from 'bun:test';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';

const moduleOf = (name: string) => path.join(PROJECT, 'src', 'main', name);

/** Stops like the gateway, and prints which request to stop it received. */
const PROGRAM = `
import { createLogger } from '${moduleOf('logging.ts')}';
import { listenForStop } from '${moduleOf('stop-signals.ts')}';
const stop = listenForStop(createLogger('info'));
setTimeout(() => process.exit(99), 600_000);
BREAK;
console.log('waits');
const code = await stop;
console.log('settles');
process.exit(code);
`;

async function run(breaking: string, signal?: NodeJS.Signals) {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM.replace('BREAK', breaking)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += piece;
    if (signal !== undefined && piece.includes('waits')) child.kill(signal);
  }
  return { exitCode: await child.exited, output, stderr: await child.stderr.text() };
}

test.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const)('%s requests an orderly stop', async (signal) => {
  const { exitCode, output } = await run('', signal);
  expect([exitCode, output.includes('settles')]).toEqual([0, true]);
});

test.each([
  ['uncaught_exception', "setTimeout(() => { throw new Error('no /x?key=sk-secret-1') }, 10)"],
  ['unhandled_rejection', "setTimeout(() => void Promise.reject(new Error('no /x?key=sk-secret-1')), 10)"],
])('%s is logged without secrets, and the process stops in order with a non-zero exit code', async (kind, breaking) => {
  const { exitCode, output, stderr } = await run(breaking);
  expect([exitCode, output.includes('settles')]).toEqual([1, true]);
  const line = output.split('\n').find((text) => text.startsWith('{')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'error', kind, error: 'Error: no /x?…' });
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
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
});

test('SIGHUP reloads the configuration and does not stop it', async () => {
  const reload = `
    const { listenForReload } = await import('${moduleOf('stop-signals.ts')}');
    listenForReload(() => { console.log('reads'); process.kill(process.pid, 'SIGTERM'); })`;
  const { exitCode, output } = await run(reload, 'SIGHUP');
  expect([exitCode, output.split('\n').filter((line) => line !== '')]).toEqual([0, ['waits', 'reads', 'settles']]);
});
