import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { GUIDES } from './guides.ts';

const names = readdirSync(path.join(import.meta.dir, '..', '..', 'docs', 'guides'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

test('the gateway serves every guide', () => {
  expect(GUIDES.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test.each([...GUIDES])('the links in $name lead somewhere', ({ markdown }) => {
  const links = [...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !names.includes(target.replace(/\.md(?:#.*)?$/, '')))).toEqual([]);
});
