import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Rule } from './facts.ts';
import { RULES } from './rules/index.ts';

test('every rule file is registered under its own name and has its own test', async () => {
  const folder = join(import.meta.dir, 'rules');
  const names = [...new Bun.Glob('*.ts').scanSync({ cwd: folder })]
    .filter((name) => !name.endsWith('.test.ts') && name !== 'index.ts')
    .map((name) => name.replace(/\.ts$/, ''));
  expect(RULES.map((rule: Rule) => rule.name).sort()).toEqual(names.sort());
  for (const name of names) expect(await Bun.file(join(folder, `${name}.test.ts`)).exists()).toBe(true);
});
