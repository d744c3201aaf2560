import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT, temporaryFolder } from '../../conformance/shared/workspace.ts';
import { DEFAULT_SERVER } from '../../src/engine/settings/settings.ts';
import { RUNTIME_SETTINGS } from '../../src/main/process-limits.ts';

const SOURCE = join(PROJECT, 'deploy', 'systemd');
/** systemd-analyze calls 0 to 1.9 OK. */
const HIGHEST_EXPOSURE = 1.2;

let root: string;
let unit: string;

beforeAll(async () => {
  root = await temporaryFolder();
  unit = join(root, 'switchyard.service');
  const program = join(root, 'switchyard');
  await Bun.write(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
  const text = await Bun.file(join(SOURCE, 'switchyard.service')).text();
  await Bun.write(unit, text.replace('/usr/local/bin/switchyard', program));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function analyze(...args: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = Bun.spawn(['systemd-analyze', '--no-pager', ...args], {
    env: { ...process.env, SYSTEMD_COLORS: '0', LC_ALL: 'C.UTF-8' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, output: stdout + stderr };
}

/** Returns the last value of a setting. */
async function settingOf(name: string): Promise<string | undefined> {
  const lines = (await Bun.file(unit).text()).split('\n').filter((line) => line.startsWith(`${name}=`));
  return lines.at(-1)?.slice(name.length + 1);
}

test('systemd finds no fault in the unit', async () => {
  expect(await analyze('verify', '--recursive-errors=no', unit)).toEqual({ exitCode: 0, output: '' });
});

test('systemd finds no fault in the unit with the drop-in for secrets', async () => {
  await mkdir(`${unit}.d`);
  await cp(join(SOURCE, 'secrets.conf'), join(`${unit}.d`, 'secrets.conf'));
  expect(await analyze('verify', '--recursive-errors=no', unit)).toEqual({ exitCode: 0, output: '' });
});

test('every credential of the drop-in has its variable', async () => {
  const text = await Bun.file(join(SOURCE, 'secrets.conf')).text();
  const credentials = [...text.matchAll(/^LoadCredential=(\w+):\/etc\/switchyard\/secrets\/(\w+)$/gm)];
  expect(credentials.length).toBeGreaterThan(0);
  for (const [, name = '', file] of credentials) {
    expect(file).toBe(name);
    expect(text).toContain(`\nEnvironment=${name}_FILE=%d/${name}\n`);
  }
});

test('the unit is confined', async () => {
  const { exitCode, output } = await analyze(
    'security',
    '--offline=true',
    `--threshold=${HIGHEST_EXPOSURE * 10}`,
    unit,
  );
  expect(output).toMatch(/Overall exposure level for switchyard\.service: \d\.\d OK/);
  expect(exitCode).toBe(0);
});

test('systemd waits for the longest stop before it kills', async () => {
  const seconds = Number(await settingOf('TimeoutStopSec'));
  const longestMs = DEFAULT_SERVER.drainMs + DEFAULT_SERVER.shutdownGraceMs + DEFAULT_SERVER.shutdownWriteMs;
  expect(seconds * 1000).toBeGreaterThan(longestMs);
});

test('the gateway is the only process, so that it gets the signals itself', async () => {
  const text = await Bun.file(unit).text();
  for (const [name, value] of Object.entries(RUNTIME_SETTINGS)) expect(text).toMatch(`${name}=${value}`);
});

test('a reload is the signal that reads the configuration again', async () => {
  expect(await settingOf('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
});
