import { afterAll, beforeAll, expect, test } from 'bun:test';
import { GATEWAY_PROGRAM, ProcessWorkspace } from '../shared/process-workspace.ts';

/* Exports through a pipe, as shells connect commands. */

const REQUESTS = 5_000;

let space: ProcessWorkspace;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const { exitCode, stderr } = await space.run(['demo', '--days', '1', '--requests', String(REQUESTS)]);
  expect([exitCode, stderr]).toEqual([0, '']);
});
afterAll(() => space?.remove());

const shell = async (script: string) => {
  const child = Bun.spawn(['bash', '-o', 'pipefail', '-c', script], {
    env: { ...process.env, EXPORT: [...GATEWAY_PROGRAM, 'export'].join(' '), SWITCHYARD_DATA: space.data },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
};

test('a pipe gets every line, as the file does', async () => {
  const piped = await shell('$EXPORT requests --to 2100-01-01 | sort | sha256sum');
  const filed = await shell(
    `$EXPORT requests --to 2100-01-01 --output "${space.path('requests.jsonl')}" && sort "${space.path('requests.jsonl')}" | sha256sum`,
  );
  expect([piped.exitCode, filed.exitCode, piped.stdout]).toEqual([0, 0, filed.stdout]);
  const lines = (await Bun.file(space.path('requests.jsonl')).text()).trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(REQUESTS / 2);
  expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(lines.length);
});

test('a reader that closes the pipe ends the export without an error', async () => {
  const { stdout, stderr } = await shell('$EXPORT requests --format csv --to 2100-01-01 | head -2');
  expect([stdout.trimEnd().split('\n').length, stderr]).toEqual([2, '']);
});
