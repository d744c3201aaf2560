import { afterAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';

/* The bundler finds the sources below the working folder of its process. */

const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-dashboard-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const SOURCES = {
  'theme.ts': 'document.documentElement.dataset.theme = "dark";',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"><title>mark</title></svg>',
  'style.css': '@layer utilities { @tailwind utilities; } @font-face { font-family: own; src: url("./own.woff2"); }',
  'own.woff2': 'a font',
  'main.tsx': `import icon from './icon.svg'; import { shared } from './kit/shared.ts';
    console.log(icon, shared); import('./pages/page.tsx').then(({ page }) => console.log(page));`,
  'kit/shared.ts': `export const shared = Math.random() + ' underline';`,
  'pages/page.tsx': `import { shared } from '../kit/shared.ts'; export const page = shared;`,
};

/** Bundles with the project's folder as the working folder, like the gateway. Resolves to the file names. */
async function namesIn(project: string): Promise<string> {
  const script = `import { bundle } from ${JSON.stringify(path.join(PROJECT, 'dashboard', 'build', 'bundle.ts'))};
    const { assets } = await bundle({ folder: process.cwd() + '/dashboard', brotliLevel: 1 });
    console.log([...assets.keys()].sort().join());`;
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: project, stdout: 'pipe' });
  return child.stdout.text();
}

test("file names depend on the content of the sources, not on the project's path", async () => {
  for (const [name, text] of Object.entries(SOURCES)) await Bun.write(path.join(folder, 'one', name), text);
  const [one, two] = [path.join(folder, 'projects', 'one'), path.join(folder, 'elsewhere', 'below', 'two')];
  const source = path.join(folder, 'one');
  for (const project of [one, two]) await cp(source, path.join(project, 'dashboard'), { recursive: true });
  const names = await namesIn(one);
  expect(names).toMatch(/icon-\w+\.svg,main-\w+\.js,/);
  expect(await namesIn(two)).toBe(names);
  await writeFile(path.join(two, 'dashboard/kit/shared.ts'), `export const shared = Math.random() + ' uppercase';`);
  const changed = (await namesIn(two)).split(',');
  const same = changed.filter((name) => names.includes(name)).map((name) => name.split('-')[0]);
  expect(same).toEqual(['icon', 'own', 'theme']);
});
