import { afterEach, beforeEach, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

async function apply(yaml: string): Promise<string> {
  const path = fixture.path('guards.yaml');
  await writeFile(path, yaml);
  return run('guards', 'apply', path);
}

test('guards are applied from a file, listed, shown and deleted', async () => {
  expect(await run('guards', 'list')).toBe('No guards found.\n');
  const yaml = 'guards: [{id: privacy, pii: [{class: email}], terms: [{name: projects, terms: [bluebird]}]}]';
  expect(await apply(yaml)).toBe('created  guard privacy\n');
  expect(await apply(yaml)).toBe('unchanged  guard privacy\n');
  expect(await apply(yaml.replace('bluebird', 'blackbird'))).toBe('changed  guard privacy\n');
  const [, row] = (await run('guards', 'list')).split('\n');
  expect(row?.split(/ {2,}/)).toEqual(['privacy', 'privacy', 'input', 'email, projects', '-', '-', 'api']);
  expect(JSON.parse(await run('guards', 'show', 'privacy', '--json'))).toMatchObject({
    terms: [{ name: 'projects', terms: ['blackbird'], action: 'refuse' }],
  });
  expect(await run('guards', 'delete', 'privacy')).toBe('deleted guard privacy\n');
  await expect(run('guards', 'delete', 'privacy')).rejects.toThrow('there is no guard "privacy"');
});

test('a file without guards, and one with a wrong pattern, change nothing', async () => {
  await expect(apply('models: []')).rejects.toThrow('has no guards');
  const wrong = 'guards: [{id: a, patterns: [{name: x, pattern: "(?=a)"}]}]';
  await expect(apply(wrong)).rejects.toThrow('guards[0].patterns[0].pattern');
  expect(await run('guards', 'list')).toBe('No guards found.\n');
});
