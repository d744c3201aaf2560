import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* A first start whose output is kept by a collector, as in a container. */

const COLLECTED = { SWITCHYARD_FIRST_START: 'terminal' };

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve({ isTerminal: false, env: COLLECTED });
});
afterAll(() => space.remove());

const SECRETS = /sk-\w|welcome#/;

test('prints no secret, but the command that does', () => {
  expect(serving.stdout + serving.stderr).not.toMatch(SECRETS);
  expect(serving.stdout).toContain('run "switchyard first-start"');
});

test('the command prints the first key and the link of the first admin once, and the gateway takes the key', async () => {
  const first = await space.run(['first-start']);
  const key = /^ {2}(sk-\S+)$/m.exec(first.stdout)?.[1] ?? '';
  expect([first.exitCode, first.stderr, first.stdout]).toEqual([0, '', expect.stringMatching(/\/welcome#\w{40}/)]);
  await until('the key works', async () => (await serving.chat(key, chatBody('sandbox-chat'))).status === 200);
  const second = await space.run(['first-start']);
  expect([second.exitCode, second.stdout]).toEqual([0, expect.stringContaining('There is a key already')]);
  expect(second.stdout).not.toMatch(SECRETS);
});

test('later starts print neither secrets nor the hint', async () => {
  await serving.stop();
  serving = await space.serve({ isTerminal: false, env: COLLECTED });
  expect(serving.stdout).not.toMatch(SECRETS);
  expect(serving.stdout).not.toContain('first-start');
});

test.each([
  [{}, true],
  [{ LOG_FORMAT: 'pretty' }, true],
  [{ LOG_FORMAT: 'json' }, false],
  [{ LOG_FORMAT: 'json', SWITCHYARD_FIRST_START: 'print' }, true],
])('with %j, output to a file or a pipe has the key: %p', async (env, isPrinted) => {
  const other = await Workspace.create();
  try {
    const { stdout, stderr } = await other.serve({ isTerminal: false, env });
    expect(SECRETS.test(stdout + stderr)).toBe(isPrinted);
  } finally {
    await other.remove();
  }
});
