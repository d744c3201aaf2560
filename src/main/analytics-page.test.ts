import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPORT_COLUMNS } from '../engine/request-export/columns.ts';

test('docs/analytics.md lists every exported column in order, with its meaning', async () => {
  const page = await readFile(join(import.meta.dir, '..', '..', 'docs', 'analytics.md'), 'utf8');
  const [, columns = ''] = page.split('\n## Columns\n');
  const [own = ''] = columns.split('\n## ');
  const rows = [...own.matchAll(/^\| `(\w+)` \| [^|]+ \| (.+) \|$/gm)].map(([, name, about]) => [name, about]);
  expect(rows).toEqual(EXPORT_COLUMNS.map(({ name, about }) => [name, about]));
});
