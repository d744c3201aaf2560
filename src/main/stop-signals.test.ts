import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Stops as the gateway does, and says how it was asked. */
const PROGRAM = `
import { createLogger } from '${join(import.meta.dir, 'logging.ts')}';
import { listenForStop } from '${join(import.meta.dir, 'stop-signals.ts')}';
const stop = listenForStop(createLogger('info'));
setTimeout(() => process.exit(99), 10_000);
BREAK;
console.log('waits');
const code = await stop;
console.log('settles');
await Bun.sleep(100);
process.exit(code);
`;

async function run(breaking: string, signal?: NodeJS.Signals) {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM.replace('BREAK', breaking)], {
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

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
  '%s is a request to stop in order',
  async (signal) => {
    const { exitCode, output } = await run('', signal);
    expect([exitCode, output.includes('settles')]).toEqual([0, true]);
  },
);

test.each([
  ['uncaught_exception', "setTimeout(() => { throw new Error('no /x?key=sk-secret-1') }, 10)"],
  ['unhandled_rejection', "setTimeout(() => void Promise.reject(new Error('no /x?key=sk-secret-1')), 10)"],
])('%s is logged without secrets, and the process ends in order, but not well', async (kind, breaking) => {
  const { exitCode, output, stderr } = await run(breaking);
  expect([exitCode, output.includes('settles')]).toEqual([1, true]);
  const line = output.split('\n').find((text) => text.startsWith('{')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'error', kind, error: 'Error: no /x?…' });
  expect(output + stderr).not.toContain('secret-1');
});

test('a reader of its output that has gone is no reason to stop', async () => {
  const child = Bun.spawn(
    [process.execPath, '-e', PROGRAM.replace('BREAK', "setInterval(() => process.stdout.write('x'.repeat(9999)), 5)")],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  await child.stdout.cancel();
  await Bun.sleep(700);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
});
