import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Bundle } from '../../src/transports/shared/bundle.ts';
import { bundle } from './bundle.ts';

/* A small dashboard in a temporary folder. */

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-dashboard-'));
  const files = {
    'theme.ts': 'document.documentElement.dataset.theme = "dark";',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"><title>mark</title></svg>',
    'style.css': '@layer utilities { @tailwind utilities; } @font-face { font-family: own; src: url("./own.woff2"); }',
    'own.woff2': 'a font',
    'main.tsx': `import icon from './icon.svg'; import { shared } from './kit/shared.ts';
      console.log(icon, shared, process.env.NODE_ENV, process.env.SECRET_OF_THE_GATEWAY); import('./pages/page.tsx').then(({ page }) => console.log(page));`,
    'kit/shared.ts': `export const shared = Math.random() + ' underline';`,
    'pages/page.tsx': `import { shared } from '../kit/shared.ts'; export const page = shared;`,
    'pages/page.test.tsx': `export const unused = 'line-through';`,
    'api/schema.ts': `export const type = 'italic';`,
  };
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, 'one', name), text);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const built = (name: string) => bundle({ folder: join(folder, name), brotliLevel: 1 });
const text = ({ assets }: Bundle, name: string) =>
  gunzipSync(assets.get(name)?.content.gzip ?? new Uint8Array()).toString();

test('lists exactly the files that the page requests first', async () => {
  const made = await built('one');
  const { theme, style, script, imports, icon } = made.first;
  for (const name of [theme, style, script, icon, ...imports]) expect(made.assets.has(name)).toBe(true);
  expect([...made.assets.keys()].filter((name) => name.startsWith('page'))).toHaveLength(1);
  expect(text(made, theme)).not.toMatch(/\b(?:import|export)\b/);
  expect(text(made, script)).toContain('"production"');
  expect(text(made, script)).toMatch(new RegExp(`new URL\\("${icon}", ?import\\.meta\\.url\\)`));
});

test('the stylesheet has the classes that pages use, and its own files', async () => {
  const made = await built('one');
  const css = text(made, made.first.style);
  expect(css).toContain('.underline');
  expect(css).not.toMatch(/line-through|italic/);
  const [, font = ''] = /url\("?(own-\w+\.woff2)"?\)/.exec(css) ?? [];
  expect(made.assets.get(font)?.contentType).toBe('font/woff2');
});

test('an invalid source is named', async () => {
  await cp(join(folder, 'one'), join(folder, 'wrong'), { recursive: true });
  await writeFile(join(folder, 'wrong/main.tsx'), `import './missing.ts';`);
  expect(built('wrong')).rejects.toThrow();
});
