import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT, temporaryFolder } from '../../conformance/shared/workspace.ts';
import { builtExecutable } from '../shared/builds.ts';
import { COMPOSE } from '../shared/go-tools/tools.ts';
import { runChecks, type ScriptChecks } from '../shared/script-checks.ts';

/* The Compose Specification's own program renders deploy/compose.yaml; deploy/test/compose.ts starts its services. */

setDefaultTimeout(600_000);

const CHECKS = [
  'postgres starts and is healthy',
  'redis starts and is healthy',
  'gateway-1 starts and is healthy',
  'gateway-2 starts and is healthy',
  'proxy starts and is healthy',
  'prometheus starts and is healthy',
  'the first key works at the proxy',
  'a stream arrives through the proxy',
  'both gateways answer',
  'metrics need the token',
  'Prometheus reads both gateways',
  'every query of the dashboards works',
  'every alert is evaluated',
  'gateways are replaced one after the other without a failed request',
];

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(path.join(PROJECT, 'deploy'), path.join(folder, 'deploy'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const inFolder = (...names: readonly string[]) => path.join(folder, 'deploy', ...names);

async function makeSecrets(): Promise<string> {
  const child = Bun.spawn(['sh', inFolder('compose', 'make-secrets.sh')], { stdout: 'pipe', stderr: 'pipe' });
  const output = await child.stdout.text();
  expect([await child.exited, await child.stderr.text()]).toEqual([0, '']);
  return output;
}

describe('the script for secrets', () => {
  test('writes each secret once, readable in containers and in a closed folder', async () => {
    const written = (await makeSecrets()).trim().split('\n');
    expect(written).toHaveLength(7);
    const texts = await Promise.all(written.map((name) => readFile(inFolder(name), 'utf8')));
    expect(new Set(texts).size).toBe(7);
    for (const name of written) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o444);
    expect((await stat(inFolder('secrets'))).mode & 0o777).toBe(0o700);
    expect(await makeSecrets()).toBe('');
    expect(await Promise.all(written.map((name) => readFile(inFolder(name), 'utf8')))).toEqual(texts);
  });
});

test('an interrupted run of the script does not prevent the next one', async () => {
  await mkdir(inFolder('secrets'), { recursive: true });
  await writeFile(inFolder('secrets', 'metrics_token.tmp'), '', { mode: 0o444 });
  await rm(inFolder('secrets', 'metrics_token'), { force: true });
  expect(await makeSecrets()).toContain('secrets/metrics_token\n');
  expect(await readFile(inFolder('secrets', 'metrics_token'), 'utf8')).toHaveLength(43);
});

describe('the services', () => {
  let checks: ScriptChecks;

  beforeAll(async () => {
    await makeSecrets();
    const rendering = Bun.spawn([COMPOSE, '--format', 'json', 'compose.yaml'], {
      cwd: inFolder(),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [model, errors] = await Promise.all([rendering.stdout.text(), rendering.stderr.text()]);
    expect([await rendering.exited, errors]).toEqual([0, '']);
    await writeFile(inFolder('model.json'), model);
    checks = await runChecks([
      process.execPath,
      'deploy/test/compose.ts',
      inFolder('model.json'),
      await builtExecutable(),
    ]);
  });

  test.each(CHECKS)('%s', (name) => {
    expect(checks.passed, checks.output).toContain(name);
  });

  test('have no other checks', () => {
    expect([checks.exitCode, checks.passed.length], checks.output).toEqual([0, CHECKS.length]);
  });
});
