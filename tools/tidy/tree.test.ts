import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { formatViolation, type Rule } from './facts.ts';
import { RULES } from './rules/index.ts';
import { checkProject, readProject } from './tidy.ts';

const ROOT = join(import.meta.dir, '../..');

test('the project obeys its own law', async () => {
  const files = await readProject(ROOT);
  expect(files.some((file) => file.path === 'tools/tidy/main.ts')).toBe(true);
  expect(checkProject(files).map(formatViolation)).toEqual([]);
});

test('every exception of a rule is needed', async () => {
  const files = await readProject(ROOT);
  expect(RULES.flatMap((rule) => rule.unusedExceptions?.(files) ?? [])).toEqual([]);
});

test('every rule file is registered under its own name and has a test of its own', async () => {
  const folder = join(import.meta.dir, 'rules');
  const names = [...new Bun.Glob('*.ts').scanSync({ cwd: folder })]
    .filter((name) => !name.endsWith('.test.ts') && name !== 'index.ts')
    .map((name) => name.replace(/\.ts$/, ''));
  expect(RULES.map((rule: Rule) => rule.name).sort()).toEqual(names.sort());
  for (const name of names) expect(await Bun.file(join(folder, `${name}.test.ts`)).exists()).toBe(true);
});
