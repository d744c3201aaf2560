import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Workspace } from '../shared/workspace.ts';

/* The file of "switchyard init", and the gateway that starts with it. */

let space: Workspace;

beforeEach(async () => {
  space = await Workspace.create();
});
afterEach(() => space.remove());

test.each([
  ['laptop', []],
  ['laptop', ['--providers', 'openai,anthropic']],
  ['server', ['--providers', 'openai', '--public-url', 'https://ai.example.com', '--trusted-proxies', '10.0.0.0/8']],
  ['cluster', ['--providers', 'openai', '--public-url', 'https://ai.example.com']],
])('a gateway for a %s with %j starts without a warning', async (situation, args) => {
  const SWITCHYARD_CONFIG = space.path('switchyard.yaml');
  const made = await space.run(['init', '--for', situation, ...args, '--output', SWITCHYARD_CONFIG]);
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  const [, names = ''] = /^Set (.*) \(or NAME_FILE/m.exec(made.stdout) ?? [];
  // The databases of a cluster have suites of their own.
  const variables = names.split(', ').filter((name) => name !== '' && !name.endsWith('_URL'));
  const values = Object.fromEntries(variables.map((name) => [name, 'a-value-that-is-long-enough']));
  const env = { ...values, SWITCHYARD_CONFIG };
  const checked = await space.run(['apply', '--check', SWITCHYARD_CONFIG], { env });
  expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
  const serving = await space.serve({ env });
  expect(serving.firstKey).toStartWith('sk-');
  const warnings = `${serving.stdout}${serving.stderr}`
    .split('\n')
    .filter((line) => /"level":"(warn|error)"|notice/.test(line));
  expect(warnings).toEqual([]);
  const PORT = String(serving.port);
  expect(await space.run(['health'], { env: { PORT } })).toMatchObject({ exitCode: 0 });
  const shown = await space.run(['config', 'show', '--changed'], { env });
  expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
});
