import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { docsFolder, PAGES } from './main.ts';

for (const { name, make } of PAGES) {
  test(`${name} is up to date; \`npm run generate\` rewrites it`, async () => {
    expect(await Bun.file(path.join(docsFolder, name)).text()).toBe(await make());
  });
}

test('the folder of the losses has only generated pages', () => {
  const generated = PAGES.map(({ name }) => name);
  const pages = readdirSync(path.join(docsFolder, 'losses')).map((name) => `losses/${name}`);
  expect(pages.filter((name) => !generated.includes(name))).toEqual([]);
});

const root = path.join(docsFolder, '..');
/** One pattern each: `Bun.Glob` matches nothing for several with slashes in one pair of braces. */
const LINKING = ['*.md', 'docs/**/*.md', 'src/**/README.md', 'bench/README.md', '.github/**/*.md'].flatMap(
  (pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })],
);

test('every relative link of a page leads to an existing file and heading', async () => {
  const broken: string[] = [];
  expect(LINKING.length).toBeGreaterThan(100);
  for (const name of LINKING) {
    const page = path.join(root, name);
    const text = (await Bun.file(page).text()).replace(/`[^`\n]*`/g, '``');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', heading] = target.split('#');
      const linked = file === '' ? page : path.join(path.dirname(page), file);
      if (!(await isThere(linked, heading))) broken.push(`${name}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

async function isThere(file: string, heading: string | undefined): Promise<boolean> {
  if (heading === undefined) {
    const isFolder = file.endsWith('/');
    return isFolder || (await Bun.file(file).exists());
  }
  if (!(await Bun.file(file).exists())) return false;
  const headings = [...(await Bun.file(file).text()).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return headings.includes(heading);
}
