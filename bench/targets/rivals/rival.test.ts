import { expect, test } from 'bun:test';
import { parseOptions } from '../../options.ts';
import { chooseRivals, rivals } from './index.ts';
import { askVersion, findRival, packageVersion } from './rival.ts';

const rival = { command: 'gate', variable: 'SWITCHYARD_RIVAL_GATE' };
const which = (installed: Record<string, string>) => (command: string) => installed[command] ?? null;

test('a rival is found on the PATH', () => {
  expect(findRival(rival, {}, which({ gate: '/usr/bin/gate' }))).toEqual({ executable: '/usr/bin/gate' });
});

test('the path in its variable takes precedence over the PATH', () => {
  const installed = which({ gate: '/usr/bin/gate', '/opt/gate': '/opt/gate' });
  expect(findRival(rival, { SWITCHYARD_RIVAL_GATE: '/opt/gate' }, installed)).toEqual({ executable: '/opt/gate' });
});

test('a path that is not executable counts as missing, even if the command is on the PATH', () => {
  expect(findRival(rival, { SWITCHYARD_RIVAL_GATE: '/opt/gate' }, which({ gate: '/usr/bin/gate' }))).toEqual({
    missing: 'SWITCHYARD_RIVAL_GATE names /opt/gate, which is not executable',
  });
});

test('an empty variable counts as none', () => {
  expect(findRival(rival, { SWITCHYARD_RIVAL_GATE: '' }, which({}))).toEqual({
    missing: 'not installed: gate is not on the PATH, and SWITCHYARD_RIVAL_GATE is not set',
  });
});

test('a rival whose command has a common name is found by its variable only', () => {
  const unnamed = { ...rival, command: undefined };
  expect(findRival(unnamed, {}, which({ gate: '/usr/bin/gate' }))).toEqual({
    missing: 'not installed: SWITCHYARD_RIVAL_GATE is not set',
  });
});

test('no two rivals share a name, a variable or a command', () => {
  for (const key of ['name', 'variable', 'command'] as const) {
    const values = rivals.map((one) => one[key]).filter((value) => value !== undefined);
    expect(new Set(values).size).toBe(values.length);
  }
});

test('rivals are selected by name in the order of the list, all by default, and misspelt ones are refused', () => {
  expect(chooseRivals(['portkey', 'litellm']).map(({ name }) => name)).toEqual(['litellm', 'portkey']);
  expect(chooseRivals([])).toEqual(rivals);
  expect(() => chooseRivals(['litelm'])).toThrow('litelm');
});

test('--rivals may be last, have names, or precede another option', () => {
  const names = (argv: string[]) => parseOptions(argv).rivals?.map(({ name }) => name);
  const all = rivals.map(({ name }) => name);
  expect(names([])).toBeUndefined();
  expect(names(['--rivals'])).toEqual(all);
  expect(names(['--rivals', '--quick'])).toEqual(all);
  expect(names(['--rivals', 'portkey,litellm', '--quick'])).toEqual(['litellm', 'portkey']);
  expect(names(['--rivals=portkey'])).toEqual(['portkey']);
  expect(() => parseOptions(['--rivals', 'litelm'])).toThrow('litelm');
  expect(() => parseOptions(['--rate', 'many'])).toThrow('--rate');
});

test('a version is read from either output, and is unknown if the command fails', async () => {
  expect(await askVersion(['sh', '-c', 'echo "server/1.22.1 (here)" >&2'])).toBe('1.22.1');
  expect(await askVersion(['sh', '-c', 'echo Gate v2.0.0-rc.1'])).toBe('2.0.0-rc.1');
  expect(await askVersion(['/nowhere/gate', '--version'])).toBe('unknown');
  expect(packageVersion('/nowhere/package.json')).toBe('unknown');
});
